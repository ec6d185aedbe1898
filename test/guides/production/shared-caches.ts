import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../support/free-port.ts";
import { placeOf } from "../guide.ts";

/** A server in front that runs. */
export interface FrontServer {
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/** Starts a server in front and waits until it takes connections on `port`. */
async function startFrontServer(
  [program = "", ...args]: readonly string[],
  port: number,
): Promise<FrontServer> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  for (let tries = 0; !(await takesConnections(port)); tries += 1) {
    if (tries > 12_000 || hasEnded(child))
      throw new Error(`${program} did not start: ${said.slice(0, 3000)}`);
    await pause(25);
  }
  return {
    address: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

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
interface DesyncProbe {
  readonly why: string;
  /** `hidden` is a whole request that nobody sent: it lies in a body, or where only one of two servers sees a head. */
  readonly bytes: (hidden: string) => string;
}

const requestOf = (headers: readonly string[], body: string, line = "POST /v1/daos HTTP/1.1"): string =>
  [line, "Host: api.example.org", ...headers, "", body].join("\r\n");
const lengthOf = (body: string): string => `Content-Length: ${body.length}`;
const CHUNKED = "Transfer-Encoding: chunked";
/** The last chunk, and what comes after it. */
const ended = (hidden: string): string => `0\r\n\r\n${hidden}`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Two lengths, by bytes and by chunks: the body ends early for whoever reads chunks. */
const twoLengths = (why: string, ...codings: readonly string[]): DesyncProbe => ({
  why,
  bytes: (hidden) => requestOf([lengthOf(ended(hidden)), ...codings], ended(hidden)),
});

export const DESYNC_PROBES: readonly DesyncProbe[] = [
  twoLengths("both lengths, the body ends early for whoever reads chunks", CHUNKED),
  {
    why: "both lengths, the body ends early for whoever counts bytes",
    bytes: (hidden) => requestOf(["Content-Length: 4", CHUNKED], `${chunk(hidden)}0\r\n\r\n`),
  },
  ...["xchunked", "chunked, identity", "identity, chunked", "\vchunked", "chunked\t", '"chunked"'].map(
    (coding) => twoLengths(`a coding written ${JSON.stringify(coding)}`, `Transfer-Encoding: ${coding}`),
  ),
  twoLengths("a blank before the colon", "Transfer-Encoding : chunked"),
  twoLengths("a folded line", "X: y", ` ${CHUNKED}`),
  {
    why: "line feeds alone",
    bytes: (hidden) =>
      `POST /v1/daos HTTP/1.1\nHost: api.example.org\r\nX: y\n${lengthOf(hidden)}\n\n${hidden}`,
  },
  {
    why: "a carriage return alone inside a header",
    bytes: (hidden) => requestOf(["X: y\rContent-Length: 0", lengthOf(hidden)], hidden),
  },
  {
    why: "two lengths that differ",
    bytes: (hidden) => requestOf(["Content-Length: 0", lengthOf(hidden)], hidden),
  },
  {
    why: "a length with a sign",
    bytes: (hidden) => requestOf([`Content-Length: +${hidden.length}`], hidden),
  },
  {
    why: "a body on GET",
    bytes: (hidden) => requestOf([lengthOf(hidden)], hidden, "GET /v1/daos HTTP/1.1"),
  },
  {
    why: "a chunked body on GET",
    bytes: (hidden) => requestOf([CHUNKED], `${chunk(hidden)}0\r\n\r\n`, "GET /v1/daos HTTP/1.1"),
  },
  {
    why: "a body that no answer waits for",
    bytes: (hidden) => requestOf(["Expect: 100-continue", lengthOf(hidden)], hidden),
  },
  {
    why: "a chunk whose size has an extension with a line feed",
    bytes: (hidden) =>
      requestOf([CHUNKED], `${(hidden.length + 2).toString(16)};x\n\r\n${hidden}\r\n0\r\n\r\n`),
  },
  {
    why: "an upgrade to HTTP/2",
    bytes: (hidden) => {
      const upgrade = ["Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"];
      const headers = ["Connection: Upgrade, HTTP2-Settings", ...upgrade, lengthOf(hidden)];
      return requestOf(headers, hidden, "GET /v1/daos HTTP/1.1");
    },
  },
  {
    why: "HTTP/1.0 with chunks",
    bytes: (hidden) => {
      const headers = ["Connection: keep-alive", lengthOf(ended(hidden)), CHUNKED];
      return requestOf(headers, ended(hidden), "POST /v1/daos HTTP/1.0");
    },
  },
];
