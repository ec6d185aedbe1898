import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PipelineError } from "../base/pipeline-error.ts";
import { createHttpClient } from "../sources/http/create-http-client.ts";
import { sleepOnTimer } from "../sources/http/http-effects.ts";
import { checkDaos, type DaoCheck } from "./check-daos.ts";
import type { RunEffects } from "./effects.ts";
import { createHubSpaceChecker } from "./hub-space-checker.ts";
import type { Settings } from "./settings.ts";

const Package = z.object({ version: z.string() });

/** Compares every DAO of the registry with the hub at `url`. Throws `PipelineError` BAD_OPTION where that is no URL. */
export async function checkDaosOnHub(
  settings: Settings,
  { url }: { readonly url: string },
  { nowMs, progress }: RunEffects,
): Promise<readonly DaoCheck[]> {
  if (!URL.canParse(url)) {
    throw new PipelineError("BAD_OPTION", "--from must be the URL of a Snapshot hub", {
      hint: "It ends in /graphql.",
    });
  }
  const text = readFileSync(join(settings.packageDirectory, "package.json"), "utf8");
  const { version } = Package.parse(JSON.parse(text));
  const http = createHttpClient({
    effects: { nowMs, sleep: sleepOnTimer, random: Math.random },
    version,
  });
  try {
    const checker = createHubSpaceChecker({ http, url, apiKey: undefined });
    return await checkDaos(settings, { checker, progress });
  } finally {
    await http.close();
  }
}
