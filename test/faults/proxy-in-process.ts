import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createListeningProxy } from "../proxy/support/listening-proxy.ts";
import { publishFixture } from "../support/published-set.ts";
import type { StartProxy } from "./proxy-process.ts";

/** The same proxy in this process: for samples, where a process of its own would cost more than the sample. */
export const startProxyInProcess: StartProxy = async (onLog) => {
  const folder = mkdtempSync(join(tmpdir(), "govdata-attacked-"));
  const published = join(folder, "published");
  await publishFixture(published);
  const proxy = await createListeningProxy({ folder, published });
  const open = new Set<string>();
  let count = 0;
  proxy.app.server.on("connection", (socket: Socket) => {
    count += 1;
    const name = String(count);
    open.add(name);
    socket.once("close", () => open.delete(name));
  });
  const handOver = () => onLog(proxy.logLines.splice(0).join(""));
  return {
    port: proxy.port,
    keys: proxy.keys,
    // Of no use here: the callers' memory is the same.
    rssMb: () => 0,
    sockets: () => new Set(open),
    stop: async () => {
      await proxy.close();
      handOver();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
