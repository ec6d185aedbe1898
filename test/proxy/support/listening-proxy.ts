import { exchange } from "./exchange.ts";
import { readAnswers, type WireAnswer } from "./read-answers.ts";
import { createTestProxy, type TestAnswer, type TestProxy, type TestProxyOptions } from "./test-proxy.ts";

/** The test proxy behind a socket: `ask` goes over the wire, and what comes back is read by the tests' own reader. */
export interface ListeningProxy extends Omit<TestProxy, "ask"> {
  readonly port: number;
  readonly ask: (...request: Parameters<TestProxy["ask"]>) => Promise<TestAnswer & WireAnswer>;
  /** Sends pieces as they are and reads all answers until the server closes; fails where the bytes are none. */
  readonly send: (
    pieces: readonly string[],
    methods?: readonly string[],
  ) => Promise<readonly (TestAnswer & WireAnswer)[]>;
}

/** Starts the test proxy on a free port of the loopback. */
export async function createListeningProxy(options: TestProxyOptions): Promise<ListeningProxy> {
  const proxy = await createTestProxy(options);
  const port = Number(new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 })).port);
  const send: ListeningProxy["send"] = async (pieces, methods) => {
    const { bytes } = await exchange(port, pieces);
    const { answers, fault } = readAnswers(bytes, methods);
    if (fault !== undefined) throw new Error(`not an answer: ${fault}`);
    return answers.map(withCode);
  };
  return {
    ...proxy,
    port,
    send,
    ask: async (url, { key, method = "GET", headers = {} } = {}) => {
      const all = {
        host: "localhost",
        connection: "close",
        ...(key === undefined ? {} : { "x-api-key": key }),
      };
      const lines = Object.entries({ ...all, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
      const [answer, ...others] = await send(
        [`${method} ${url} HTTP/1.1\r\n${lines.join("")}\r\n`],
        [method],
      );
      if (answer === undefined || others.length > 0) throw new Error(`${others.length} answers too many`);
      return answer;
    },
  };
}

function withCode(answer: WireAnswer): TestAnswer & WireAnswer {
  const body = answer.bytes.toString("utf8");
  const parsed = answer.status >= 400 && body !== "" ? JSON.parse(body) : {};
  return { ...answer, body, code: parsed.error?.code };
}
