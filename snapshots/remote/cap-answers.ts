import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import { cappedStream } from "./capped-stream.ts";

/** What is no file: texts of errors, and lists of a thousand names of a thousand characters. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

interface Answer {
  readonly statusCode: unknown;
  body: unknown;
}

function isAnswer(response: unknown): response is Answer {
  return typeof response === "object" && response !== null && "statusCode" in response && "body" in response;
}

/** No `RemoteError`: the client would write a sentence of its own into that. */
async function* orTooLarge(body: AsyncIterable<Uint8Array>, nowMs: () => number): AsyncGenerator<Uint8Array> {
  try {
    yield* cappedStream(body, ANSWER_BYTES_MAX, "the answer", nowMs);
  } catch (cause) {
    throw Object.assign(new Error("the answer is too large or too slow", { cause }), {
      code: "ANSWER_WITHOUT_END",
    });
  }
}

/**
 * Bounds every answer that the client takes into memory whole before anybody can look at it, however it ends: one without
 * an end would take the process along. The bytes of a file are bounded where they are read.
 */
export function capAnswers(client: S3Client, nowMs: () => number): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        const result = await next(request);
        const { response } = result;
        if (!isAnswer(response) || !(response.body instanceof Readable)) return result;
        const isFile = commandName === "GetObjectCommand" && response.statusCode === 200;
        if (!isFile) response.body = Readable.from(orTooLarge(response.body, nowMs), { objectMode: false });
        return result;
      },
    { name: "capAnswers", step: "deserialize", priority: "low" },
  );
}
