import { lookup } from "node:dns";
import { expect, it } from "vitest";
import { PUBLIC_HUB_URL } from "../../pipeline/facts/governance-source.ts";
import { createHttpClient } from "../../pipeline/sources/http/http-client.ts";

it("no test reaches the public hub by the way that sources take", async () => {
  const http = createHttpClient({ nowMs: () => 0, version: "1.0.0" });
  await expect(http.postJson({ url: PUBLIC_HUB_URL, body: {} })).rejects.toThrow("start a fake hub for it");
  await http.close();
});

it("a name of this machine is looked up as ever", async () => {
  const found = await new Promise((resolve) =>
    lookup("localhost", (error, address) => resolve(error ?? address)),
  );
  expect(["127.0.0.1", "::1"]).toContain(found);
});
