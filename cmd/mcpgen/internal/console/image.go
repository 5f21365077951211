package console

import (
	"encoding/base64"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/client"
)

// An imageProtocol is a way to send images to a terminal.
type imageProtocol int

const (
	noImages imageProtocol = iota
	kitty                  // https://sw.kovidgoyal.net/kitty/graphics-protocol/
	iterm                  // https://iterm2.com/documentation-images.html
)

// imagesOf recognizes a terminal by its environment.
func imagesOf(env func(string) string) imageProtocol {
	switch {
	case env("TMUX") != "" || strings.HasPrefix(env("TERM"), "screen"):
		return noImages // it does not pass them on
	case env("KITTY_WINDOW_ID") != "" || env("TERM") == "xterm-ghostty":
		return kitty
	case env("TERM_PROGRAM") == "iTerm.app" || env("TERM_PROGRAM") == "WezTerm":
		return iterm
	}
	return noImages
}

// kittyChunk is how much Base64 one sequence of kitty's may have.
const kittyChunk = 4096

// show returns the sequence that makes the terminal show an image, empty if it cannot.
func (p imageProtocol) show(b client.Blob) string {
	text := base64.StdEncoding.EncodeToString(b.Data)
	switch {
	case p == kitty && b.MIMEType == "image/png":
		var sequence strings.Builder
		control := "a=T,f=100,"
		for chunk := range slices.Chunk([]byte(text), kittyChunk) {
			more := 1
			if text = text[len(chunk):]; text == "" {
				more = 0
			}
			fmt.Fprintf(&sequence, "\x1b_G%sm=%d;%s\x1b\\", control, more, chunk)
			control = ""
		}
		return sequence.String()
	case p == iterm && strings.HasPrefix(b.MIMEType, "image/") && b.MIMEType != "image/svg+xml":
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d:%s\a", len(b.Data), text)
	}
	return ""
}

// extension returns the end of a file's name for a media type.
func extension(mediaType string) string {
	known := map[string]string{
		"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
		"audio/wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "application/pdf": ".pdf",
	}
	base, _, err := mime.ParseMediaType(mediaType)
	if err != nil || known[base] == "" {
		return ".bin"
	}
	return known[base]
}
