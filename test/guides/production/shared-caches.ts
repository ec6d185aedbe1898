import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { type FrontServer, placeOf, startFrontServer } from "./front-server.ts";

/** A server in front that keeps answers, or would. */
export interface SharedCache {
  readonly why: string;
  readonly program: "nginx" | "haproxy" | "varnishd";
  /** Whether it keeps what we say is not to be kept. */
  readonly isCareless: boolean;
  /** Writes its configuration below `folder` and starts it in front of the port `behind`. */
  readonly start: (folder: string, port: number) => Promise<FrontServer>;
}

/** nginx's own settings, with everything below one folder. */
export function nginxMain(folder: string, http: string): string {
  mkdirSync(join(folder, "temporary"), { recursive: true });
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/temporary/${name};`)
    .join("\n");
  return `${user}
worker_processes 1;
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 128; }
http {
${places}
access_log off;
${http}
}
`;
}

/** Starts nginx on a configuration for `http`. */
export async function startNginx(folder: string, port: number, http: string): Promise<FrontServer> {
  const file = join(folder, "nginx.conf");
  writeFileSync(file, nginxMain(folder, http));
  return startFrontServer([placeOf("nginx") ?? "nginx", "-e", "stderr", "-p", folder, "-c", file], port);
}

/** nginx with its cache on, and more of its directives. */
export function nginxCache(more: string): SharedCache["start"] {
  return async (folder, proxyPort) => {
    const port = await freePort();
    const http = `
proxy_cache_path ${folder}/kept keys_zone=shared:1m;
upstream behind { server 127.0.0.1:${proxyPort}; keepalive 8; }
server {
  listen 127.0.0.1:${port};
  location / {
    proxy_pass http://behind;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_cache shared;
    ${more}
    add_header X-Cache $upstream_cache_status always;
  }
}`;
    return startNginx(folder, port, http);
  };
}

function varnish(more: string): SharedCache["start"] {
  return async (folder, proxyPort) => {
    const port = await freePort();
    const file = join(folder, "shared.vcl");
    writeFileSync(
      file,
      `vcl 4.1;
backend behind { .host = "127.0.0.1"; .port = "${proxyPort}"; }
${more}
sub vcl_deliver { if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; } else { set resp.http.X-Cache = "MISS"; } }
`,
    );
    const jail = process.getuid?.() === 0 ? ["-j", "none"] : [];
    return startFrontServer(
      [
        placeOf("varnishd") ?? "varnishd",
        ...jail,
        ...["-F", "-n", join(folder, "state"), "-a", `127.0.0.1:${port}`, "-T", "none", "-f", file],
        ...["-s", "malloc,8m", "-p", "thread_pool_min=5", "-p", "thread_pools=1"],
      ],
      port,
    );
  };
}

async function haproxy(folder: string, proxyPort: number): Promise<FrontServer> {
  const port = await freePort();
  const file = join(folder, "haproxy.cfg");
  writeFileSync(
    file,
    `global
  maxconn 200
defaults
  mode http
  timeout connect 2s
  timeout client 10s
  timeout server 10s
cache shared
  total-max-size 8
  max-age 60
  process-vary on
frontend public
  bind 127.0.0.1:${port}
  http-request cache-use shared
  http-response cache-store shared
  default_backend behind
backend behind
  http-reuse always
  server one 127.0.0.1:${proxyPort}
`,
  );
  return startFrontServer([placeOf("haproxy") ?? "haproxy", "-db", "-f", file], port);
}

/** The ones that people put in front, as they come and as careless people set them. */
export const SHARED_CACHES: readonly SharedCache[] = [
  {
    why: "nginx with its cache on",
    isCareless: false,
    program: "nginx",
    start: nginxCache("proxy_cache_valid any 60s;"),
  },
  {
    why: "nginx told to disregard what we say of keeping",
    isCareless: true,
    program: "nginx",
    start: nginxCache("proxy_cache_valid any 60s; proxy_ignore_headers Cache-Control Expires;"),
  },
  { why: "HAProxy with its cache on", isCareless: false, program: "haproxy", start: haproxy },
  { why: "Varnish as it comes", isCareless: false, program: "varnishd", start: varnish("") },
  {
    why: "Varnish told to keep everything",
    isCareless: true,
    program: "varnishd",
    start: varnish(`sub vcl_recv { if (req.method == "GET" || req.method == "HEAD") { return (hash); } }
sub vcl_backend_response { set beresp.ttl = 60s; set beresp.uncacheable = false; return (deliver); }`),
  },
];

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
