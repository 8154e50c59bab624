import { readStoreUrl, type S3Settings } from '../../../storage/objects/s3/settings.ts'
import { openS3Store, type S3Store } from '../../../storage/objects/s3/store.ts'
import { KEYS } from './stand-in.ts'

/** The settings of a URL, with a limit of time that no request of a spec reaches by itself. */
export const settingsOf = (url: string, more: Partial<S3Settings> = {}): S3Settings => ({
  ...readStoreUrl(url),
  ...{ timeoutMs: 60_000, concurrency: 16 },
  ...more,
})

type Options = Partial<Omit<Parameters<typeof openS3Store>[0], 'settings'>> & {
  readonly settings?: Partial<S3Settings>
}

/** Opens a bucket for a log, without pauses between tries. */
export const bucketOf = (url: string, { settings = {}, ...options }: Options = {}): S3Store =>
  openS3Store({
    settings: settingsOf(url, settings),
    identity: async () => 'identity of a log',
    env: KEYS,
    random: () => 0,
    ...options,
  })

/** Chunks as a store takes them: copies, because it takes their memory over. */
export async function* chunksOf(...chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}
