// Rows: all series of a chart on one list of places, as uPlot wants them.

// toRows has a row for each place, and a further one where a series is at a place twice.
// undefined: the series has nothing there and goes on; null: a gap.
const toRows = (series, places) => {
  const points = [];
  series.forEach((s, n) => s.y.forEach((y, k) => points.push([places[s.at][k], n, k, y])));
  points.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  const x = [], y = series.map(() => []), from = series.map(() => []);
  for (const [at, n, k, v] of points) {
    let row = x.length - 1;
    while (row >= 0 && x[row] === at && y[n][row] === undefined && row > 0 && x[row - 1] === at && y[n][row - 1] === undefined) row--;
    if (row < 0 || x[row] !== at || y[n][row] !== undefined) row = x.push(at) - 1;
    y[n][row] = v;
    from[n][row] = k;
  }
  y.forEach((list) => { list.length = x.length; });
  return { x, y, from };
};

// at is the first row that is not before a place.
const rowAt = (x, v) => {
  let low = 0, high = x.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (x[mid] < v) low = mid + 1;
    else high = mid;
  }
  return low;
};

// nearest is the row of a series that is nearest to a place; -1 beyond its ends.
const nearest = (rows, n, v) => {
  const { x } = rows, y = rows.y[n];
  let right = rowAt(x, v), left = right - 1;
  while (right < x.length && y[right] === undefined) right++;
  while (left >= 0 && y[left] === undefined) left--;
  if (left < 0 && right >= x.length) return -1;
  if (left < 0) return x[right] - v <= reach(rows, n) ? right : -1;
  if (right >= x.length) return v - x[left] <= reach(rows, n) ? left : -1;
  return v - x[left] <= x[right] - v ? left : right;
};

// reach is how far beyond its ends a series is still meant: as far as its values are apart.
const reach = (rows, n) => {
  rows.reach ||= [];
  if (rows.reach[n] === undefined) {
    const own = rows.x.filter((_, i) => rows.y[n][i] !== undefined);
    rows.reach[n] = own.length > 1 ? (own.at(-1) - own[0]) / (own.length - 1) : (rows.x.at(-1) - rows.x[0]) / 50 || 1e9;
  }
  return rows.reach[n];
};
