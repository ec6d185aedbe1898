import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parsePrometheus } from "../../proxy/support/prometheus-text.ts";
import {
  makeKey,
  type ProxyPlaces,
  type ProxyProcess,
  startProxyProcess,
} from "../../proxy/support/proxy-process.ts";
import { rawRequest } from "../../proxy/support/raw-request.ts";
import { temporaryFolder } from "../../proxy/support/temporary-folder.ts";
import { FIXTURE_ENTITY_ID, publishFixture } from "../../support/published-set.ts";
import { placeOf } from "../guide.ts";
import { DESYNC_PROBES, type FrontServer, nginxCache, SHARED_CACHES } from "./shared-caches.ts";

const folder = temporaryFolder();
const places: ProxyPlaces = {
  home: join(folder, "home"),
  snapshots: join(folder, "published"),
  optouts: join(folder, "optouts.db"),
};
const DETAIL = "/v1/daos/tidewater.example";
/** Asked for by hidden requests alone. */
const HIDDEN_ROUTE = "/v1/daos/:space_id/risk";
const PATHS = [DETAIL, "/v1/daos", `${DETAIL}/delegates?limit=100`, `/v1/entities/${FIXTURE_ENTITY_ID}`];

let proxy: ProxyProcess;
let pro: string;
beforeAll(async () => {
  await publishFixture(places.snapshots);
  pro = await makeKey(places, "--account", "pro", "--tier", "pro");
  proxy = await startProxyProcess(places, {
    args: ["--admin-port", "0"],
    environment: { GOVDATA_PROXY_DRAIN_SECONDS: "0" },
  });
});
afterAll(async () => {
  await proxy.stop();
});

interface Told {
  readonly status: number;
  readonly body: string;
  readonly isFromCache: boolean;
}

async function ask(
  address: string,
  path: string,
  key: string | undefined,
  encoding = "identity",
): Promise<Told> {
  const answer = await fetch(`${address}${path}`, {
    headers: { "accept-encoding": encoding, ...(key === undefined ? {} : { "x-api-key": key }) },
  });
  return {
    status: answer.status,
    body: await answer.text(),
    isFromCache:
      /^hit/i.test(answer.headers.get("x-cache") ?? "") || Number(answer.headers.get("age") ?? 0) > 0,
  };
}

describe.each(SHARED_CACHES)("behind $why", ({ why, program, isCareless, start }) => {
  const isHere = placeOf(program) !== undefined;
  let front: FrontServer;
  beforeAll(async () => {
    if (isHere) front = await start(mkdtempSync(join(folder, "front-")), Number(new URL(proxy.address).port));
  });
  afterAll(async () => {
    if (isHere) await front.stop();
  });

  it.skipIf(!isHere)(`everybody gets what is theirs (needs ${program})`, async () => {
    // An account for each front: a Free one has a hundred requests a day.
    const free = await makeKey(places, "--account", why.replaceAll(" ", "-"), "--tier", "free");
    const callers = [pro, free, undefined, `${pro.slice(0, -1)}_`, free, pro];
    let fromCache = 0;
    for (const path of PATHS) {
      const ofPro = await ask(proxy.address, path, pro);
      const ofFree = await ask(proxy.address, path, free);
      // First of all the one who may see most, twice, so that whatever can be kept is kept.
      for (const key of [pro, ...callers]) {
        const expected = key === pro ? ofPro : key === free ? ofFree : undefined;
        for (const encoding of ["identity", "gzip"]) {
          const { status, body, isFromCache } = await ask(front.address, path, key, encoding);
          if (isFromCache) fromCache += 1;
          if (expected !== undefined) expect([status, body], path).toEqual([expected.status, expected.body]);
          else expect(status, path).toBe(401);
        }
      }
    }
    // One that keeps nothing would prove nothing; the others heed what we say.
    expect(fromCache > 0).toBe(isCareless);
  });

  it.skipIf(!isHere)(
    `a hidden request is never carried out, nor answered to another (needs ${program})`,
    async () => {
      const hidden = `GET ${DETAIL}/risk HTTP/1.1\r\nHost: api.example.org\r\nx-api-key: ${pro}\r\n\r\n`;
      const expected = await ask(proxy.address, "/v1/dgi", pro);
      const before = await carriedOut();
      for (const { why, bytes } of DESYNC_PROBES) {
        const said = await sendRaw(front.address, bytes(hidden));
        expect(said, why).not.toContain("risk_score");
        // The next ones take the connections that the probe used, should they still be open.
        const next = await Promise.all([
          ask(front.address, "/v1/dgi", pro),
          ask(front.address, "/v1/dgi", undefined),
          ask(front.address, DETAIL, undefined),
        ]);
        expect(
          next.map(({ status }) => status),
          why,
        ).toEqual([200, 401, 401]);
        expect(next[0].body, why).toBe(expected.body);
      }
      expect(await carriedOut()).toBe(before);
      // And one that was sent is counted.
      expect((await ask(front.address, `${DETAIL}/risk`, pro)).status).toBe(200);
      expect(await carriedOut()).toBe(before + 1);
    },
  );

  it.skipIf(!isHere)(
    `pipelined requests are answered in their order, each to its own key (needs ${program})`,
    async () => {
      const request = (path: string, key: string | undefined, more = "") =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\n${key === undefined ? "" : `x-api-key: ${key}\r\n`}${more}\r\n`;
      const { text: said } = await rawRequest(
        front.address,
        [
          request("/v1/dgi", pro),
          request(DETAIL, undefined),
          request(DETAIL, pro),
          request("/v1/dgi", undefined, "Connection: close\r\n"),
        ].join(""),
      );
      const statuses = [...said.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
      expect(statuses).toEqual(["200", "401", "200", "401"]);
      expect(said.split("top_entities").length - 1).toBe(1);
    },
  );
});

it.skipIf(placeOf("nginx") === undefined)(
  "behind one that disregards Vary too, everything leaks (needs nginx)",
  async () => {
    // What PRODUCTION.md warns of, and the proof that the tests above would see it.
    const start = nginxCache("proxy_cache_valid any 60s; proxy_ignore_headers Cache-Control Expires Vary;");
    const front = await start(mkdtempSync(join(folder, "front-")), Number(new URL(proxy.address).port));
    const ofPro = await ask(front.address, DETAIL, pro);
    expect(await ask(front.address, DETAIL, undefined)).toMatchObject({ status: 200, body: ofPro.body });
    await front.stop();
  },
);

/** How often the endpoint that only hidden requests ask for was asked, by the proxy's own count. */
async function carriedOut(): Promise<number> {
  const text = await (await fetch(`${proxy.adminAddress}/metrics`)).text();
  return parsePrometheus(text)
    .samples.filter(
      ({ name, labels }) => name === "govdata_proxy_requests_total" && labels["route"] === HIDDEN_ROUTE,
    )
    .reduce((sum, { value }) => sum + value, 0);
}

/** Sends bytes and gives all that comes back until the other side ends, or has nothing more to say. */
function sendRaw(address: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(address).port) });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => {});
    // Whoever waits for more of a request than there is says nothing.
    socket.setTimeout(80, () => socket.destroy());
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.write(bytes, "latin1");
  });
}
