import { createHttpClient, type HttpClientOptions } from "../../../../pipeline/sources/http/http-client.ts";

/** The real client, which waits for nothing between attempts and makes few of them. */
export const hastyClient = (settings: HttpClientOptions["settings"] = {}) =>
  createHttpClient({
    nowMs: () => 0,
    sleep: async () => {},
    random: () => 0.5,
    version: "1.0.0",
    settings: { requestsPerMinute: 1e9, attemptsMax: 4, serverErrorAttemptsMax: 3, ...settings },
  });
