import { getGlobalDispatcher } from "undici";

/** An answer as it came over the socket: nothing decoded, header names in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
}

/** What to ask; `path` goes over the wire as it stands. */
export interface Question {
  readonly path: string;
  readonly key?: string | undefined;
  readonly method?: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "DELETE" | "PATCH" | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks a server one question over HTTP. */
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

/** An answer without what differs between any two: time, connection, request id and the counters of the quota. */
export function comparable({ status, headers, text }: Answer): object {
  const passing = /^(date|connection|keep-alive|x-request-id|ratelimit|x-ratelimit-.*)$/;
  return {
    status,
    text,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.test(name))),
  };
}
