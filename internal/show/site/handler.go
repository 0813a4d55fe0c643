package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/history"
	"github.com/inferometer/inferometer/internal/show/page"
)

// Handler serves the site. With local set it answers only requests for this machine's
// own names: a page from elsewhere whose name was made to point here gets nothing.
func (s *Site) Handler(local bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", page.Policy("'self'")+"; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		switch {
		case local && !isLocal(r.Host):
			http.Error(w, "this server answers only requests to localhost", http.StatusForbidden)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		default:
			s.serve(w, r)
		}
	})
}

// isLocal says whether a request's host is this machine by a name that nobody else can give.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}

var downloadPattern = regexp.MustCompile(`^download/` + id + `/([a-z.]+)$`)

func (s *Site) serve(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = indexPath
	}
	if m := downloadPattern.FindStringSubmatch(name); m != nil {
		s.download(w, r, m[1], m[2])
		return
	}
	if name == "compare" {
		s.chosen(w, r)
		return
	}
	data, err := s.Page(r.Context(), name, time.Now())
	if err != nil {
		s.fail(w, err)
		return
	}
	if name == indexPath && s.Unread() > 0 {
		w.Header().Set("Refresh", "1") // it is not whole yet
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

var idPattern = regexp.MustCompile(`^` + id + `$`)

// chosen leads from the form to the comparison's own address.
func (s *Site) chosen(w http.ResponseWriter, r *http.Request) {
	a, b := r.URL.Query().Get("a"), r.URL.Query().Get("b")
	if !idPattern.MatchString(a) || !idPattern.MatchString(b) {
		s.fail(w, errNotFound)
		return
	}
	w.Header().Set("Location", "compare/"+a+"-"+b+".html") // relative: we may stand behind a proxy
	w.WriteHeader(http.StatusSeeOther)
}

// download sends a file of a run. It is chosen by the run, never by a path.
func (s *Site) download(w http.ResponseWriter, r *http.Request, id, kind string) {
	st, err := s.look(time.Now())
	if err != nil {
		s.fail(w, err)
		return
	}
	run := st.runs[id]
	if run == nil {
		s.fail(w, errNotFound)
		return
	}
	for _, name := range s.downloads(run) {
		if path.Base(downloadPath(run, name)) == kind {
			s.send(w, r, run, name)
			return
		}
	}
	s.fail(w, errNotFound)
}

func (s *Site) send(w http.ResponseWriter, r *http.Request, run *history.Run, name string) {
	f, err := s.files.Open(name)
	if err != nil {
		s.fail(w, err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	seeker, ok := f.(io.ReadSeeker)
	if err != nil || !ok || !info.Mode().IsRegular() {
		s.fail(w, errors.Join(errNotFound, err))
		return
	}
	saved := path.Base(name)
	if run.Folder != "" {
		saved = path.Base(run.Folder) + "-" + saved
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", attachment(saved))
	http.ServeContent(w, r, "", info.ModTime(), seeker)
}

// attachment names a file for the browser; one whose name can't be written gets none.
func attachment(name string) string {
	if text := mime.FormatMediaType("attachment", map[string]string{"filename": name}); text != "" {
		return text
	}
	return "attachment"
}

// fail answers with a page that says what went wrong.
func (s *Site) fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	if errors.Is(err, errNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = http.StatusNotFound
	}
	d := &page.Document{
		Title: http.StatusText(code), Subtitle: "The address is not one of ours, or the run is gone.", Version: s.opt.Version,
		Way: []page.Link{{Text: "All series", Link: "/"}},
	}
	if code != http.StatusNotFound {
		d.Subtitle = fmt.Sprint(err)
	}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes()) // a reader who has gone needs no answer
}
