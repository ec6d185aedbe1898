/** How a remote place is called; every field has a default that suits production. */
export interface RemoteOptions {
  /** Settings of the SDK (AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID …); those of the process where absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How often a call for content is tried; the swap of a pointer is tried once, always. */
  readonly attemptsMax?: number;
  readonly connectMs?: number;
  /** No byte for so long: the call has failed. */
  readonly silenceMs?: number;
  /** By which a body that comes drop by drop is given up; without a clock none is, as long as it comes. */
  readonly nowMs?: () => number;
}

/** The options with nothing left open. */
export type RemoteSettings = Required<RemoteOptions>;

/** The options given, and the default of each other one. */
export function remoteSettings(options: RemoteOptions): RemoteSettings {
  return {
    environment: process.env,
    attemptsMax: 3,
    connectMs: 2_000,
    silenceMs: 10_000,
    nowMs: () => 0,
    ...options,
  };
}
