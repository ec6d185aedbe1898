import { cpSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

// One of the rivals, from a folder where its packages are installed: `rivals-process.ts KIND FOLDER PACKAGES UPSTREAM
// REDIS_PORT`. The two gateways stand in front of UPSTREAM, which is the bare server. Says `{"address"}`.
const [kind = "", folder = "", packages = "", upstream = "", redisPort = "0"] = process.argv.slice(2);
const load = createRequire(join(packages, "package.json"));
const DAY_MS = 86_400_000;

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** @fastify/rate-limit: one counter per key and day in Redis, and the bare server's bytes. */
async function startRateLimit(): Promise<string> {
  const { fastify } = load("fastify");
  const Redis = load("ioredis");
  const app = fastify({ logger: false });
  const limit = { max: 999_999_999, timeWindow: DAY_MS, keyGenerator: keyOf };
  await app.register(load("@fastify/rate-limit"), { ...limit, redis: new Redis(Number(redisPort)) });
  const target = new URL(upstream);
  const bodies = new Map<string, Buffer>();
  app.get("/v1/daos", async (request: { url: string }, reply: Reply) => {
    const known =
      bodies.get(request.url) ?? Buffer.from(await (await fetch(new URL(request.url, target))).arrayBuffer());
    bodies.set(request.url, known);
    return reply.header("content-type", "application/json; charset=utf-8").send(known);
  });
  return app.listen({ host: "127.0.0.1", port: 0 });
}

interface Reply {
  header(name: string, value: string): Reply;
  send(bytes: Buffer): Reply;
}

const keyOf = (request: { headers: Record<string, string | undefined> }) =>
  request.headers["x-api-key"] ?? "none";

/** http-proxy: nothing but passing on. */
async function startHttpProxy(): Promise<string> {
  const { Agent } = await import("node:http");
  const proxy = load("http-proxy").createProxyServer({
    target: upstream,
    agent: new Agent({ keepAlive: true }),
  });
  const server = createServer((request, response) => proxy.web(request, response));
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return `http://127.0.0.1:${port}`;
}

/** express-gateway: passing on behind its own rate limit, in memory. */
async function startExpressGateway(): Promise<string> {
  const port = await freePort();
  writeFileSync(
    join(folder, "gateway.config.yml"),
    `http: { port: ${port}, host: 127.0.0.1 }
admin: { port: ${await freePort()}, host: 127.0.0.1 }
apiEndpoints: { api: { host: "*", paths: "/v1/*" } }
serviceEndpoints: { bare: { url: "${upstream}" } }
policies: [rate-limit, proxy]
pipelines:
  all:
    apiEndpoints: [api]
    policies:
      - rate-limit: { action: { max: 999999999, windowMs: ${DAY_MS} } }
      - proxy: { action: { serviceEndpoint: bare } }
`,
  );
  writeFileSync(
    join(folder, "system.config.yml"),
    "db: { redis: { emulate: true, namespace: EG } }\naccessTokens: { timeToExpiry: 7200000 }\nrefreshTokens: { timeToExpiry: 7200000 }\nauthorizationCodes: { timeToExpiry: 300000 }\nsession: { secret: bench, resave: false, saveUninitialized: false }\n",
  );
  // It asks for the shapes of its users beside its settings, and brings them along elsewhere.
  cpSync(join(packages, "node_modules/express-gateway/lib/config/models"), join(folder, "models"), {
    recursive: true,
  });
  process.env["LOG_LEVEL"] = "error";
  await load("express-gateway")().load(folder).run();
  return `http://127.0.0.1:${port}`;
}

const STARTS: Readonly<Record<string, () => Promise<string>>> = {
  "@fastify/rate-limit on Redis": startRateLimit,
  "http-proxy": startHttpProxy,
  "express-gateway": startExpressGateway,
};
const start = STARTS[kind];
if (start === undefined) throw new Error(`there is no rival ${kind}`);
process.stdout.write(`${JSON.stringify({ address: await start(), keys: ["none"] })}\n`);
