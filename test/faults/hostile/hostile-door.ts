import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";
import type { HttpClient } from "../../../pipeline/sources/http/http-client.ts";
import { createHttpClient } from "../../../pipeline/sources/http/http-client.ts";
import type { HttpSettings } from "../../../pipeline/sources/http/http-settings.ts";
import { createVirtualTime } from "../../pipeline/sources/http/virtual-time.ts";
import { dao } from "../../pipeline/warehouse/sample-facts.ts";
import { SPACE_ID } from "../../support/fake-hub/sample-space.ts";

const TOKEN = `0x${"11".repeat(20)}`;

/** The DAO of both live sources: the sample space, and the token whose transfers the hostile node knows. */
export function hostileDao(): TrackedDao {
  const plain = dao(SPACE_ID);
  return {
    ...plain,
    governor: plain.governor === undefined ? undefined : { ...plain.governor, token: TOKEN },
  };
}

/** The real door with its real caps, which gives up after a second attempt and waits in virtual time between them. */
export function openDoor(settings: Partial<HttpSettings> = {}): HttpClient {
  return createHttpClient({
    ...createVirtualTime(),
    version: "1.0.0",
    settings: { requestsPerMinute: 1e9, attemptsMax: 2, ...settings },
  });
}
