import { connect } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { publishFixture } from "../../support/published-set.ts";
import { createListeningProxy } from "../support/listening-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

it("a caller who pipelines and hangs up leaves no place taken, and pays for what was begun alone", async () => {
  const published = join(folder, "published");
  await publishFixture(published);
  const held: (() => void)[] = [];
  let isHeld = true;
  let charged = 0;
  const proxy = await createListeningProxy({
    folder,
    published,
    inFlightMax: 3,
    quota: (real) => ({
      ...real,
      charge: async (request) => {
        if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
        const answer = await real.charge(request);
        charged += 1;
        return answer;
      },
    }),
  });
  const ask = `GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${proxy.keys.pro}\r\n\r\n`;
  const closed = new Promise<void>((resolve) => {
    proxy.app.server.once("connection", (socket) => socket.once("close", () => resolve()));
  });
  const caller = connect({ host: "127.0.0.1", port: proxy.port });
  caller.write(ask.repeat(20));
  while (held.length === 0) await new Promise(setImmediate);
  caller.resetAndDestroy();
  await closed;
  for (const release of held.splice(0)) release();
  // The disk answers later: until then the one that was begun is under way.
  while (charged === 0) await new Promise(setImmediate);
  // Three at the same moment: one after the other would not notice two places that are taken for good.
  let early = 0;
  const three = [1, 2, 3].map(async () => {
    const { status } = await proxy.ask("/v1/dgi", { key: proxy.keys.pro });
    if (isHeld) early += 1;
    return status;
  });
  while (held.length + early < 3) await new Promise(setImmediate);
  isHeld = false;
  for (const release of held) release();
  expect(await Promise.all(three)).toEqual([200, 200, 200]);
  expect(proxy.usedBy("pro")).toBe(1 + 3);
  await proxy.close();
});
