import { createGovernorSource } from "../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../pipeline/sources/governor/rpc.ts";
import { createSnapshotHubSource } from "../../../pipeline/sources/hub/hub-source.ts";
import { createFetchLedger } from "../../pipeline/sources/governor/fetch-ledger.ts";
import { NOW_MS } from "../../support/fake-hub/sample-space.ts";
import { hostileDao, openDoor } from "./hostile-door.ts";

// Started by the memory test with addresses of a hostile server: fetches from each, several at once where they stand
// together, and writes a line of JSON after each with how it ended and the most memory it ever had.
const http = openDoor({ attemptsMax: 1 });

async function end(url: string): Promise<string> {
  const { sink } = createFetchLedger().open();
  const source = url.includes("/node/")
    ? createGovernorSource({ rpcOf: () => createRpc({ http, url }) })
    : createSnapshotHubSource({ http, url, pageSize: 150, nowMs: NOW_MS, isFull: false });
  try {
    await source.fetchSpace(hostileDao(), sink);
    return "complete";
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return `${code ?? "UNEXPECTED"} ${message}`;
  }
}

for (const together of process.argv.slice(2)) {
  const ends = await Promise.all(together.split(",").map(end));
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(`${JSON.stringify({ ends, peakMb })}\n`);
}
await http.close();
