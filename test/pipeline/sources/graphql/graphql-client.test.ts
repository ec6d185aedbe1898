import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { openHub, SPACES_QUERY } from "../../../../pipeline/sources/hub/ask-hub.ts";
import { sampleSpace } from "../../../support/fake-hub/sample-space.ts";
import {
  type ArrivedQuery,
  type FakeHub,
  type HubFault,
  startFakeHub,
} from "../../../support/fake-hub/start-fake-hub.ts";
import { hastyClient } from "../http/loopback-server.ts";

let hub: FakeHub;
let http: HttpClient;
beforeEach(async () => {
  hub = await startFakeHub();
  for (let n = 0; n < 12; n += 1) hub.store.putSpace(sampleSpace({ id: `s${n}.eth` }));
  http = hastyClient({ attemptsMax: 3, serverErrorAttemptsMax: 2 });
});
afterEach(async () => {
  await http.close();
  await hub.close();
});

const variablesOf = (id: string) => ({
  where: { id_in: [id] },
  first: 10,
  skip: 0,
  orderBy: "created",
  orderDirection: "asc",
});
/** Asks for so many spaces at once, in this order; an error stands for itself. */
function askForSpaces(count: number, client = openHub({ http, url: hub.url, apiKey: "good" })) {
  const asked = Array.from({ length: count }, (_, n) =>
    client.ask(SPACES_QUERY, variablesOf(`s${n}.eth`)).then(
      ({ value }) => (value as { readonly id: string }[])[0]?.id,
      (error: Error) => error.message,
    ),
  );
  return Promise.all(asked);
}
const ids = (count: number) => Array.from({ length: count }, (_, n) => `s${n}.eth`);
/** The number of queries of each request that arrived. */
const sizes = () => hub.arrived.map(queriesIn);
const queriesIn = ({ operation }: ArrivedQuery) => operation.split("_").length;
const REFUSED = { kind: "status", status: 400, body: { errors: [{ message: "no" }] } } as const;
/** Refuses every request of more queries than this. */
const takeAtMost = (most: number, fault: HubFault = REFUSED) =>
  hub.failWith((query) => (queriesIn(query) > most ? fault : undefined));

describe("queries that wait for the same turn", () => {
  it.each([
    { why: "one is sent as it is", count: 1, requests: [1] },
    { why: "five share a request", count: 5, requests: [5] },
    { why: "the sixth needs another", count: 6, requests: [5, 1] },
    { why: "each answer comes to whom it belongs", count: 12, requests: [5, 5, 2] },
  ])("$why", async ({ count, requests }) => {
    expect(await askForSpaces(count)).toEqual(ids(count));
    expect(sizes()).toEqual(requests);
  });

  it("go along with what waits for the rate limit", async () => {
    const client = openHub({ http, url: hub.url });
    const first = askForSpaces(1, client);
    const later = askForSpaces(4, client);
    expect([await first, await later]).toEqual([ids(1), ids(4)]);
    expect(sizes()).toEqual([5]);
  });
});

describe("a shared request that fails", () => {
  it("is asked for by halves, and a service that takes fewer queries is remembered", async () => {
    takeAtMost(2);
    const client = openHub({ http, url: hub.url });
    expect(await askForSpaces(5, client)).toEqual(ids(5));
    expect(sizes()).toEqual([5, 3, 2, 2, 1]);
    await setImmediate();
    expect(client.queriesMax()).toBe(2);
    hub.forget();
    expect(await askForSpaces(5, client)).toEqual(ids(5));
    expect(sizes()).toEqual([2, 2, 1]);
  });

  it("is tried larger again after eight that worked, for a fault may have passed", async () => {
    takeAtMost(2);
    const client = openHub({ http, url: hub.url });
    await askForSpaces(5, client);
    await setImmediate();
    hub.failWith(undefined);
    for (let time = 0; time < 8; time += 1) {
      expect(client.queriesMax()).toBe(2);
      expect(await askForSpaces(2, client)).toEqual(ids(2));
    }
    expect(client.queriesMax()).toBe(4);
  });

  describe("while others wait for their turn", () => {
    let client: ReturnType<typeof openHub>;
    let oneByOne: HttpClient;
    beforeEach(() => {
      oneByOne = hastyClient({ concurrencyMax: 1 });
      client = openHub({ http: oneByOne, url: hub.url });
    });
    afterEach(() => oneByOne.close());

    it("leaves none behind when fewer go together than they waited for", async () => {
      let later: ReturnType<typeof askForSpaces> | undefined;
      hub.failWith((query, count) => {
        if (count === 1) later = askForSpaces(7, client);
        return queriesIn(query) > 3 ? REFUSED : undefined;
      });
      expect(await askForSpaces(5, client)).toEqual(ids(5));
      expect(await later).toEqual(ids(7));
      expect(sizes()).toEqual([5, 3, 2, 2, 2, 2, 1]);
    });

    it("sends no empty request when more go together than they waited for", async () => {
      takeAtMost(2);
      await askForSpaces(5, client);
      await setImmediate();
      hub.failWith(undefined);
      for (let time = 0; time < 4; time += 1) await askForSpaces(2, client);
      hub.forget();
      expect(await askForSpaces(12, client)).toEqual(ids(12));
      expect(sizes()).toEqual([2, 2, 2, 2, 3, 1]);
    });
  });

  it("is not asked for in parts where the service wants to be left alone", async () => {
    hub.failWith(() => ({ kind: "rate-limit", resetS: 100_000 }));
    for (const message of await askForSpaces(5)) expect(message).toContain("longer than our limit");
    expect(sizes()).toEqual([5]);
  });

  it("fails only the query that is refused, which does not count against the others", async () => {
    const client = openHub({ http, url: hub.url });
    const bad = client.ask({ ...SPACES_QUERY, selection: "id nothing" }, variablesOf("s0.eth"));
    const others = askForSpaces(4, client);
    await expect(bad).rejects.toMatchObject({ code: "SOURCE_FAILED", data: { status: 400 } });
    expect(await others).toEqual(ids(4));
    await setImmediate();
    expect(client.queriesMax()).toBe(5);
  });

  it("asks again for each half of an answer that is too large, and tries five queries the next time", async () => {
    takeAtMost(3, { kind: "status", status: 413, body: {} });
    const client = openHub({ http, url: hub.url });
    expect(await askForSpaces(5, client)).toEqual(ids(5));
    expect(client.queriesMax()).toBe(5);
  });

  it.each([
    { why: "a value is missing", body: { data: { q0: [] } } },
    { why: "the answer is no GraphQL", body: [1] },
    { why: "the answer has an error beside its data", body: { data: { q0: [], q1: [] }, errors: [{}] } },
  ])("takes nothing of it where $why", async ({ body }) => {
    takeAtMost(1, { kind: "body", body });
    expect(await askForSpaces(2)).toEqual(ids(2));
  });

  it("is not asked for again where the key is refused", async () => {
    const answers = await askForSpaces(5, openHub({ http, url: hub.url, apiKey: "bad" }));
    expect(answers).toEqual(ids(5).map(() => expect.stringContaining("refused the key")));
    expect(sizes()).toEqual([5]);
  });

  it("fails every query while the service is away, and each once it is closed", async () => {
    hub.failWith(() => ({ kind: "restart" }));
    for (const message of await askForSpaces(5)) expect(message).toContain("given up after");
    const waiting = askForSpaces(7);
    await http.close();
    expect(await waiting).toEqual(ids(7).map(() => "the network client was closed"));
  });
});
