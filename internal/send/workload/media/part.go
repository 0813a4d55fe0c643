package media

import (
	"encoding/base64"
	"encoding/json"
)

// Part is a part of a chat message that holds its data in a URL. The kind is image_url
// or video_url.
func Part(kind, mediaType string, data []byte) json.RawMessage {
	head := `{"type":"` + kind + `","` + kind + `":{"url":"data:` + mediaType + `;base64,`
	b := make([]byte, 0, len(head)+base64.StdEncoding.EncodedLen(len(data))+3)
	b = base64.StdEncoding.AppendEncode(append(b, head...), data)
	return append(b, `"}}`...)
}

// SoundPart is a part of a chat message that holds a sound.
func SoundPart(format string, data []byte) json.RawMessage {
	const head = `{"type":"input_audio","input_audio":{"data":"`
	b := make([]byte, 0, len(head)+base64.StdEncoding.EncodedLen(len(data))+30)
	b = base64.StdEncoding.AppendEncode(append(b, head...), data)
	return append(b, `","format":"`+format+`"}}`...)
}
