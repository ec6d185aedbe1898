import { getGlobalDispatcher } from "undici";

/** A response as it was received: not decoded, header names in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
}

/** A request; `path` is sent unchanged. */
export interface Question {
  readonly path: string;
  readonly key?: string | undefined;
  readonly method?: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "DELETE" | "PATCH" | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one HTTP request. */
export async function ask(baseUrl: string, question: Question): Promise<Answer> {
  const { origin, hostname, port } = new URL(baseUrl);
  const key = question.key === undefined ? {} : { "x-api-key": question.key };
  const answer = await getGlobalDispatcher().request({
    origin,
    path: question.path,
    method: question.method ?? "GET",
    headers: { host: `${hostname}:${port}`, ...key, ...question.headers },
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes, text: bytes.toString("utf8") };
}

/** A response without what always differs: time, connection, request ID and the quota's counters. */
export function comparable({ status, headers, text }: Answer): object {
  const passing = /^(date|connection|keep-alive|x-request-id|ratelimit|x-ratelimit-.*)$/;
  return {
    status,
    text,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.test(name))),
  };
}
