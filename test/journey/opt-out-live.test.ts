import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { setStage } from "../support/journey/stage.ts";
import { runGovdata, runProxyCommand } from "../support/run-in-process.ts";
import { type ProxyUnderTest, startProxy } from "../support/run-program.ts";

/** What `optout add` promises: answers that are asked for a second later obey it. */
const OBEYED_WITHIN_MS = 1_000;

const stage = setStage({ endDay: "2026-10-31", spaceIds: ["paper-orchard.example"] });
let proxy: ProxyUnderTest;
let key: string;

beforeAll(async () => {
  const places = ["--home", `${stage.root}/home`, "--snapshots", stage.snapshots];
  const registry = ["--registry", `${stage.archive}/registry.yaml`];
  const run = ["run", "--from", stage.archive, "--as-of", stage.world.asOf];
  const { code, stderr } = await runGovdata([...run, ...places, ...registry]);
  if (code !== 0) throw new Error(stderr);
  key = await stage.createKey("reader", "pro");
  proxy = await startProxy(stage.proxyArgs);
});
afterAll(async () => {
  await proxy.stop();
  stage.remove();
});

describe("a proxy in a process of its own, by the clock of the machine", () => {
  it("obeys `optout add` and `optout remove` a second after the command has ended", async () => {
    const { data } = ENVELOPES.dao.parse(await (await ask("/v1/daos/paper-orchard.example")).json());
    const entityId = data.top_entities[0]?.entity_id ?? "none";
    const path = `/v1/entities/${entityId}`;
    for (const [action, before, after] of [
      ["add", 200, 404],
      ["remove", 404, 200],
    ] as const) {
      expect((await ask(path)).status).toBe(before);
      const { code, stderr } = await runProxyCommand(["optout", action, entityId, ...stage.proxyArgs]);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      const heldFromMs = performance.now() + OBEYED_WITHIN_MS;
      let sinceMs = performance.now();
      let { status } = await ask(path);
      while (sinceMs < heldFromMs) {
        sinceMs = performance.now();
        ({ status } = await ask(path));
      }
      expect(status).toBe(after);
    }
  });
});

function ask(path: string): Promise<Response> {
  return fetch(proxy.baseUrl + path, { headers: { "x-api-key": key } });
}
