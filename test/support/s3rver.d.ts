/** What the tests use of a package that brings no types. */
declare module "s3rver" {
  interface StoredObject {
    readonly bucket: string;
    readonly key: string;
    readonly content: import("node:stream").Readable | Buffer;
    readonly metadata: Readonly<Record<string, string>>;
  }

  interface S3rverStore {
    getResourcePath(bucket: string, key: string, resource: "object"): string;
    putMetadata(
      bucket: string,
      key: string,
      metadata: Readonly<Record<string, string>>,
      md5: string,
    ): Promise<void>;
    putObject(object: StoredObject): Promise<{ readonly size: number; readonly md5: string }>;
  }

  class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    readonly store: S3rverStore;
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }

  export = S3rver;
}
