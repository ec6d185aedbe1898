import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A plain web server for the files of a folder, like a mirror. */
export interface StaticServer {
  /** `http://127.0.0.1:port`. */
  readonly address: string;
  /** `METHOD /path STATUS` of every response, in order. */
  readonly answered: () => readonly string[];
  /** Makes every response have this status; undefined ends that. */
  readonly refuseWith: (status: number | undefined) => void;
  readonly close: () => Promise<void>;
}

/** Serves the files of a folder on loopback, with an ETag of size and time. */
export async function serveFolder(folder: string): Promise<StaticServer> {
  const answered: string[] = [];
  let refused: number | undefined;
  const server = createServer((incoming, answer) => {
    const { pathname } = new URL(incoming.url ?? "/", "http://mirror");
    const end = (status: number): void => {
      answered.push(`${incoming.method} ${pathname} ${status}`);
      answer.writeHead(status).end();
    };
    if (refused !== undefined) return end(refused);
    const path = join(folder, pathname);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return end(404);
    const etag = `"${stat.size}-${stat.mtimeMs}"`;
    answer.setHeader("etag", etag);
    if (incoming.headers["if-none-match"] === etag) return end(304);
    answered.push(`${incoming.method} ${pathname} 200`);
    answer.writeHead(200, { "content-length": stat.size });
    createReadStream(path).pipe(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: () => answered,
    refuseWith: (status) => {
      refused = status;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
