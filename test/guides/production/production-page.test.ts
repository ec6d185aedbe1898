import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { METRICS } from "../../../proxy/observe/metrics.ts";
import * as limits from "../../../proxy/server/limits.ts";
import { SETTINGS } from "../../../proxy/settings.ts";
import { makeKey, type ProxyPlaces, startProxyProcess } from "../../proxy/support/proxy-process.ts";
import { rawRequest } from "../../proxy/support/raw-request.ts";
import { temporaryFolder } from "../../proxy/support/temporary-folder.ts";
import { PROJECT } from "../../rules/source-files.ts";
import { freePort } from "../../support/free-port.ts";
import { publishFixture } from "../../support/published-set.ts";
import { deployFile, placeOf, replaced, textOf } from "../guide.ts";
import { startNginx } from "./shared-caches.ts";

const folder = temporaryFolder();

/** A certificate that nobody signed, made here. */
function certificate(): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, "fullchain.pem"), join(folder, "privkey.pem")];
  const about = ["-subj", "/CN=api.example.org", "-days", "2", "-nodes"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...about, "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  return { cert, key };
}

interface SecureAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

function askSecurely(
  port: number,
  path: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        headers: { host: "api.example.org", ...headers },
        rejectUnauthorized: false,
        agent: false,
      },
      (answer) => {
        let body = "";
        answer.setEncoding("latin1").on("data", (chunk) => (body += chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
      },
    );
    asked.on("error", reject).end();
  });
}

describe("the page's nginx", () => {
  const isHere = placeOf("nginx") !== undefined && placeOf("openssl") !== undefined;

  it.skipIf(!isHere)(
    "serves what the proxy says, byte for byte, and never the operator's listener (needs nginx, openssl)",
    async () => {
      const places: ProxyPlaces = {
        home: join(folder, "home"),
        snapshots: join(folder, "published"),
        optouts: join(folder, "optouts.db"),
      };
      await publishFixture(places.snapshots);
      const key = await makeKey(places, "--account", "acme", "--tier", "pro");
      const proxy = await startProxyProcess(places, {
        args: ["--admin-port", "0"],
        environment: { GOVDATA_PROXY_DRAIN_SECONDS: "0" },
      });
      const port = await freePort();
      const { cert, key: certificateKey } = certificate();
      const http = replaced(deployFile("nginx.conf"), {
        "listen 443 ssl http2": `listen 127.0.0.1:${port} ssl http2`,
        "server 127.0.0.1:8787 max_fails": `server ${new URL(proxy.address).host} max_fails`,
        "/etc/ssl/api.example.org/fullchain.pem": cert,
        "/etc/ssl/api.example.org/privkey.pem": certificateKey,
        "/var/log/nginx/govdata-error.log": join(folder, "govdata-error.log"),
      });
      const front = await startNginx(folder, port, http);
      try {
        const varying = [
          "date",
          "x-request-id",
          "ratelimit",
          "x-ratelimit-remaining",
          "connection",
          "keep-alive",
        ];
        for (const { path, headers = {}, method = "GET" } of ASKED) {
          const sent: Record<string, string> = { ...headers };
          if (sent["x-api-key"] === "KEY") sent["x-api-key"] = key;
          const lines = Object.entries({ host: "api.example.org", connection: "close", ...sent });
          const direct = await rawRequest(
            proxy.address,
            `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
          );
          const through = await askSecurely(port, path, sent, method);
          const compared = Object.fromEntries(
            Object.entries(direct.headers).filter(([name]) => !varying.includes(name)),
          );
          expect(through.status, path).toBe(direct.status);
          expect(through.headers, path).toMatchObject(compared);
          expect(through.headers["strict-transport-security"]).toBe("max-age=31536000");
          // The raw reader decodes text, which compressed bytes are not.
          if (sent["accept-encoding"] === undefined)
            expect(Buffer.from(through.body, "latin1").toString("utf8"), path).toBe(direct.body);
        }
        const operator = await askSecurely(port, "/metrics", {});
        expect([operator.status, operator.body.includes("govdata_proxy_")]).toEqual([404, false]);
        const { body } = await askSecurely(port, "/v1/dgi", {
          "x-api-key": key,
          "x-forwarded-for": "203.0.113.9",
        });
        expect(body).toContain("composite");
        // Neither keys nor paths in what nginx writes.
        expect(readFileSync(join(folder, "govdata-error.log"), "utf8")).toBe("");
      } finally {
        await front.stop();
        await proxy.stop();
      }
    },
  );

  it("waits for no longer than the proxy does, and lets idle connections go before it", () => {
    const seconds = (name: string) =>
      Number(new RegExp(`^\\s*${name} (\\d+)s;`, "m").exec(deployFile("nginx.conf"))?.[1]);
    expect(seconds("keepalive_timeout") * 1000).toBeLessThan(limits.TIMEOUTS.keepAliveTimeout);
    expect(seconds("client_header_timeout") * 1000).toBe(limits.TIMEOUTS.headersTimeout);
    expect(seconds("client_body_timeout") * 1000).toBe(limits.TIMEOUTS.requestTimeout);
    expect(seconds("proxy_read_timeout") * 1000).toBe(limits.STOP_DEADLINE_MS);
    expect(deployFile("nginx.conf")).toContain(
      `large_client_header_buffers 4 ${limits.HEADER_BYTES_MAX / 1024}k`,
    );
  });

  it("limits connections and requests of each address, and gives what nginx refuses no other meaning than the proxy", () => {
    const block = deployFile("nginx.conf");
    for (const kind of ["conn", "req"]) {
      const [, zone = ""] =
        new RegExp(`^limit_${kind}_zone \\$binary_remote_addr zone=(\\w+):`, "m").exec(block) ?? [];
      expect(block).toMatch(new RegExp(`^ {4}limit_${kind} (zone=)?${zone || "nothing"} `, "m"));
    }
    expect(block).not.toMatch(/limit_(conn|req)_status/);
  });
});

const ASKED: readonly { path: string; headers?: Record<string, string>; method?: string }[] = [
  { path: "/v1/daos", headers: { "x-api-key": "KEY" } },
  { path: "/v1/daos", headers: { "x-api-key": "KEY", "accept-encoding": "br" } },
  {
    path: "/v1/daos/tidewater.example/delegates?limit=100",
    headers: { "x-api-key": "KEY", "accept-encoding": "gzip" },
  },
  { path: "/v1/dgi", headers: { "x-api-key": "KEY" }, method: "HEAD" },
  { path: "/v1/daos/..%2f..%2fetc", headers: { "x-api-key": "KEY" } },
  { path: "/v1/daos//x", headers: { "x-api-key": "KEY" } },
  { path: "/v1/daos", headers: { "x-api-key": "wrong" } },
  { path: "/v1/daos", method: "OPTIONS" },
  { path: "/v1/daos" },
  { path: "/readyz" },
  { path: "/nothing" },
];

describe("the page's Caddy", () => {
  it.skipIf(placeOf("caddy") === undefined)("is a valid configuration (needs caddy)", () => {
    const file = join(folder, "Caddyfile");
    writeFileSync(file, deployFile("Caddyfile"));
    const said = execFileSync(
      placeOf("caddy") ?? "caddy",
      ["validate", "--adapter", "caddyfile", "--config", file],
      {
        encoding: "utf8",
        env: { HOME: folder, PATH: process.env["PATH"] },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    expect(said).toContain("Valid configuration");
  });

  it.skipIf(placeOf("nft") === undefined)("has a firewall beside it that loads (needs nft)", () => {
    const file = join(folder, "govdata.nft");
    writeFileSync(file, deployFile("govdata.nft"));
    execFileSync(placeOf("nft") ?? "nft", ["--check", "--file", file], { stdio: "pipe" });
  });

  it("lets idle connections go before the proxy does", () => {
    const keepAlive = Number(/^\s*keepalive (\d+)s$/m.exec(deployFile("Caddyfile"))?.[1]);
    expect(keepAlive * 1000).toBeLessThan(limits.TIMEOUTS.keepAliveTimeout);
  });
});

describe("the page's alarms", () => {
  it("ask for numbers that exist", () => {
    const { groups } = parse(deployFile("alerts.yml")) as {
      groups: { rules: { alert: string; expr: string }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    const named = rules.flatMap(({ expr }) => expr.match(/govdata_proxy_\w+/g) ?? []);
    const known = Object.keys(METRICS);
    expect(named.map((name) => name.replace(/_bucket$/, "")).filter((name) => !known.includes(name))).toEqual(
      [],
    );
  });
});

describe("systemd's units", () => {
  const UNITS = ["proxy/systemd", "pipeline/systemd"].flatMap((room) =>
    readdirSync(join(PROJECT, room)).map((name) => ({
      name,
      text: textOf(join(room, name)),
    })),
  );
  const unit = (name: string) => UNITS.find((entry) => entry.name === name)?.text ?? "";
  const isHere = placeOf("systemd-analyze") !== undefined;

  it.skipIf(!isHere)(
    "are verified, and exposed as little as a service on the network can be (needs systemd-analyze)",
    () => {
      const units = join(folder, "units");
      mkdirSync(units);
      for (const { name, text } of UNITS) {
        // The program's place is another one here; what it is called with stays.
        writeFileSync(join(units, name), text.replace("/usr/bin/node", process.execPath));
      }
      const paths = UNITS.map(({ name }) => join(units, name));
      const run = (args: readonly string[]) =>
        execFileSync(placeOf("systemd-analyze") ?? "", args, {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "pipe"],
        });
      expect(run(["verify", "--man=no", ...paths])).toBe("");
      // The threshold is in tenths; most of Debian's own services stand above 90.
      for (const path of paths.filter((path) => path.endsWith(".service")))
        run(["security", "--offline=true", "--no-pager", "--threshold=20", path]);
    },
  );

  it("name programs that are built, and variables that exist", () => {
    expect(UNITS.map(({ name }) => name)).toEqual([
      "govdata-proxy-follow.service",
      "govdata-proxy.service",
      "govdata-run.service",
      "govdata-run.timer",
    ]);
    const { bin }: { bin: Record<string, string> } = JSON.parse(textOf("package.json"));
    expect(unit("govdata-proxy.service")).toContain(`/opt/govdata/${bin["govdata-proxy"]} serve\n`);
    expect(unit("govdata-proxy-follow.service")).toContain(`/opt/govdata/${bin["govdata-proxy"]} follow\n`);
    expect(unit("govdata-run.service")).toContain(`/opt/govdata/${bin["govdata"]} run\n`);
    const set = UNITS.filter(({ name }) => name.startsWith("govdata-proxy")).flatMap(({ text }) =>
      [...text.matchAll(/^Environment=(GOVDATA_\w+)=/gm)].map(([, name = ""]) => name),
    );
    expect(set.filter((name) => !(name in SETTINGS.table))).toEqual([]);
  });

  it.each(["LimitCORE=0", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="])(
    "set %s",
    (line) => {
      for (const { name, text } of UNITS.filter((entry) => entry.name.endsWith(".service")))
        expect(text.split("\n"), name).toContain(line);
    },
  );
});
