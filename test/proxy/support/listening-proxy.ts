import { exchange } from "./exchange.ts";
import { readAnswers, type WireAnswer } from "./read-answers.ts";
import { type AskOptions, createTestProxy, type TestAnswer, type TestProxyOptions } from "./test-proxy.ts";

export type ListeningProxy = Awaited<ReturnType<typeof createListeningProxy>>;

/** The test proxy on a free port of the loopback: `ask` goes over the wire, and answers are read by the tests' own reader. */
export async function createListeningProxy(options: TestProxyOptions) {
  const proxy = await createTestProxy(options);
  const port = Number(new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 })).port);
  /** Sends pieces as they are and reads all answers until the server closes; fails where the bytes are none. */
  const send = async (pieces: readonly string[], methods?: readonly string[]) => {
    const { bytes } = await exchange(port, pieces);
    const { answers, fault } = readAnswers(bytes, methods);
    if (fault !== undefined) throw new Error(`not an answer: ${fault}`);
    return answers.map(withCode);
  };
  const ask = async (url: string, { key, method = "GET", headers = {} }: AskOptions = {}) => {
    const all = {
      host: "localhost",
      connection: "close",
      ...(key === undefined ? {} : { "x-api-key": key }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const answers = await send([`${method} ${url} HTTP/1.1\r\n${lines.join("")}\r\n`], [method]);
    if (answers[0] === undefined || answers.length > 1) throw new Error(`${answers.length} answers`);
    return answers[0];
  };
  return { ...proxy, port, send, ask };
}

function withCode(answer: WireAnswer): TestAnswer & WireAnswer {
  const body = answer.bytes.toString("utf8");
  const parsed = answer.status >= 400 && body !== "" ? JSON.parse(body) : {};
  return { ...answer, body, code: parsed.error?.code };
}
