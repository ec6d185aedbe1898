/** Bytes that two servers in a row might take for different requests. */
export interface DesyncProbe {
  readonly why: string;
  readonly bytes: (hidden: string) => string;
}

const HOST = "Host: api.example.org\r\n";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** `hidden` is a whole request that nobody sent: it lies in a body, or where only one of two servers sees a head. */
export const DESYNC_PROBES: readonly DesyncProbe[] = [
  {
    why: "both lengths, the body ends early for whoever reads chunks",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.1\r\n${HOST}Content-Length: ${5 + hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  },
  {
    why: "both lengths, the body ends early for whoever counts bytes",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(hidden)}0\r\n\r\n`,
  },
  ...["xchunked", "chunked, identity", "identity, chunked", "\vchunked", "chunked\t", '"chunked"'].map(
    (coding) => ({
      why: `a coding written ${JSON.stringify(coding)}`,
      bytes: (hidden: string) =>
        `POST /v1/daos HTTP/1.1\r\n${HOST}Content-Length: ${5 + hidden.length}\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n${hidden}`,
    }),
  ),
  {
    why: "a blank before the colon",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.1\r\n${HOST}Content-Length: ${5 + hidden.length}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
  },
  {
    why: "a folded line",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.1\r\n${HOST}Content-Length: ${5 + hidden.length}\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  },
  {
    why: "line feeds alone",
    bytes: (hidden) => `POST /v1/daos HTTP/1.1\n${HOST}X: y\nContent-Length: ${hidden.length}\n\n${hidden}`,
  },
  {
    why: "a carriage return alone inside a header",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.1\r\n${HOST}X: y\rContent-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  },
  {
    why: "two lengths that differ",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.1\r\n${HOST}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  },
  {
    why: "a length with a sign",
    bytes: (hidden) => `POST /v1/daos HTTP/1.1\r\n${HOST}Content-Length: +${hidden.length}\r\n\r\n${hidden}`,
  },
  {
    why: "a body on GET",
    bytes: (hidden) => `GET /v1/daos HTTP/1.1\r\n${HOST}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
  },
  {
    why: "a chunked body on GET",
    bytes: (hidden) =>
      `GET /v1/daos HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${chunk(hidden)}0\r\n\r\n`,
  },
  {
    why: "a body that no answer waits for",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  },
  {
    why: "a chunk whose size has an extension with a line feed",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${(hidden.length + 2).toString(16)};x\n\r\n${hidden}\r\n0\r\n\r\n`,
  },
  {
    why: "an upgrade to HTTP/2",
    bytes: (hidden) =>
      `GET /v1/daos HTTP/1.1\r\n${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  },
  {
    why: "HTTP/1.0 with chunks",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.0\r\n${HOST}Connection: keep-alive\r\nContent-Length: ${5 + hidden.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  },
];
