import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FrontServer, freePort, placeOf, startFrontServer } from "./front-server.ts";

/** A server in front that keeps answers, or would. */
export interface SharedCache {
  readonly why: string;
  readonly program: "nginx" | "haproxy" | "varnishd";
  /** Whether it keeps what we say is not to be kept. */
  readonly isCareless: boolean;
  /** Writes its configuration below `folder` and starts it in front of the port `behind`. */
  readonly start: (folder: string, behind: number) => Promise<FrontServer>;
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
  return async (folder, behind) => {
    const port = await freePort();
    const http = `
proxy_cache_path ${folder}/kept keys_zone=shared:1m;
upstream behind { server 127.0.0.1:${behind}; keepalive 8; }
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
  return async (folder, behind) => {
    const port = await freePort();
    const file = join(folder, "shared.vcl");
    writeFileSync(
      file,
      `vcl 4.1;
backend behind { .host = "127.0.0.1"; .port = "${behind}"; }
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

async function haproxy(folder: string, behind: number): Promise<FrontServer> {
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
  server one 127.0.0.1:${behind}
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
