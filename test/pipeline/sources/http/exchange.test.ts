import { expect, it } from "vitest";
import { createExchange } from "../../../../pipeline/sources/http/exchange.ts";
import { httpSettings } from "../../../../pipeline/sources/http/http-settings.ts";
import { sendJson } from "./loopback-server.ts";
import { closeAfterEach, openClient, openServer } from "./opened.ts";

closeAfterEach();

/** A signal, and what listens to it. */
function countedSignal() {
  const { signal } = new AbortController();
  const held = new Set<unknown>();
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  const heardBy = (keep: (heard: unknown) => void, pass: typeof add) =>
    ((type: string, heard: () => void) => {
      keep(heard);
      pass(type, heard);
    }) as typeof add;
  signal.addEventListener = heardBy((heard) => held.add(heard), add);
  signal.removeEventListener = heardBy((heard) => held.delete(heard), remove);
  return { signal, held };
}

it("an exchange leaves nothing on the signal, however its attempts end", async () => {
  const server = await openServer((response, index) => sendJson(response, index === 0 ? 200 : 502, {}));
  const { signal, held } = countedSignal();
  const exchange = createExchange(httpSettings({}), { nowMs: () => 0, onBytes: () => {} });
  const sending = { url: new URL(server.origin), headers: {}, body: "{}" };
  await exchange.post(sending, signal);
  await expect(exchange.post(sending, signal)).rejects.toThrow("answered 502");
  expect(held.size).toBe(0);
  await exchange.close();
});

it("a client leaves nothing on the signal once it is closed", async () => {
  const { signal, held } = countedSignal();
  const { client } = openClient({ signal });
  expect(held.size).toBe(1);
  await client.close();
  expect(held.size).toBe(0);
});
