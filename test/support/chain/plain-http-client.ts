import type { HttpClient } from "../../../pipeline/sources/http/http-client.ts";

/** An HTTP client for a test's own node, without rate limit, retries or size limit. */
export function plainHttpClient(): HttpClient {
  let requests = 0;
  return {
    async postJson({ url, body, headers = {} }) {
      requests += 1;
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      const isJson = (response.headers.get("content-type") ?? "").includes("json");
      return { status: response.status, headers: {}, body: isJson ? JSON.parse(text) : undefined };
    },
    counters: () => ({ requests, retries: 0, bytes: 0, rateLimited: 0 }),
    close: async () => {},
  };
}
