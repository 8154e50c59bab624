import type { Logger } from 'pino'
import type { IdpMetadata, IdpSource } from '../config.ts'
import { fetchFailure } from '../fetch-failure.ts'
import { SsoRefused } from '../provider.ts'
import { MAX_METADATA_BYTES, readIdpMetadata, UnusableMetadata } from './idp-metadata.ts'

/** Metadata is fetched again after this time, in the background. */
const FRESH_MS = 3_600_000
/** Minimum time between two attempts, unless there is no metadata yet. */
const RETRY_MS = 60_000
const TIMEOUT_MS = 5_000

/** The metadata of one identity provider, as it is now. */
export type IdpMetadataSource = {
  /** Throws `SsoRefused` if it was never fetched and cannot be fetched now, at the latest after five seconds. */
  readonly current: () => Promise<IdpMetadata>
  /**
   * Metadata that differs from `known`, with which a signature did not verify: the keys may have changed. Null if there
   * is none. Fetches at most once a minute.
   */
  readonly newerThan: (known: IdpMetadata) => Promise<IdpMetadata | null>
}

export type SourceParts = {
  /** The provider as the log names it: `saml:corp`. */
  readonly provider: string
  /** The time in epoch milliseconds. */
  readonly now: () => number
  readonly logger: Pick<Logger, 'warn'>
  /** Replaces the limit of five seconds for one attempt. */
  readonly timeoutMs?: number
}

/** The metadata could not be fetched. The message gives the reason, without the URL and what it returned. */
class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

/**
 * Opens the source of a provider's metadata. Metadata at a URL is fetched at once. Throws `UnusableMetadata` if the URL
 * returns something else than usable metadata. If it cannot be reached, a warning is logged, and the next sign-in tries
 * again.
 */
export const openIdpSource = async (source: IdpSource, parts: SourceParts): Promise<IdpMetadataSource> => {
  if (source.from === 'configuration') {
    const { metadata } = source
    return { current: () => Promise.resolve(metadata), newerThan: () => Promise.resolve(null) }
  }
  const fetched = fetchedSource(source.url, parts)
  const failure = await fetched.attempt()
  if (failure instanceof UnusableMetadata) throw failure
  return fetched
}

const fetchedSource = (
  url: string,
  { provider, now, logger, timeoutMs = TIMEOUT_MS }: SourceParts,
): IdpMetadataSource & { readonly attempt: () => Promise<Error | null> } => {
  let metadata: IdpMetadata | null = null
  let fetchedAt = 0
  let attemptedAt = 0
  let running: Promise<Error | null> | null = null

  const fetchOnce = async (): Promise<Error | null> => {
    attemptedAt = now()
    try {
      const read = readIdpMetadata(await fetchText(url, timeoutMs))
      // Unchanged metadata remains the same object, so that `newerThan` can compare.
      if (JSON.stringify(read) !== JSON.stringify(metadata)) metadata = read
      fetchedAt = now()
      return null
    } catch (error) {
      if (!(error instanceof UnusableMetadata) && !(error instanceof Unreachable)) throw error
      const reason = error instanceof UnusableMetadata ? `it ${error.message}` : error.message
      logger.warn({ provider, reason }, 'the metadata of an identity provider could not be fetched')
      return error
    }
  }
  /** Fetches once, for all callers that wait. Returns why it failed; null if it did not. */
  const attempt = (): Promise<Error | null> => {
    running ??= fetchOnce().finally(() => {
      running = null
    })
    return running
  }
  const refreshInBackground = (): void => {
    attempt().catch((error: unknown) => logger.warn({ provider, err: error }, 'metadata could not be read'))
  }
  const mayRetry = (): boolean => now() - attemptedAt >= RETRY_MS

  return {
    attempt,
    current: async () => {
      if (metadata === null) {
        const failure = await attempt()
        if (metadata === null)
          throw new SsoRefused('provider_error', 'the metadata of the provider has not been fetched', {
            cause: failure,
          })
      } else if (now() - fetchedAt >= FRESH_MS && mayRetry()) refreshInBackground()
      return metadata
    },
    newerThan: async (known) => {
      if (metadata === known && (running !== null || mayRetry())) await attempt()
      return metadata === known ? null : metadata
    },
  }
}

/** Fetches a text of at most `MAX_METADATA_BYTES` within `timeoutMs`. Redirects are not followed. */
const fetchText = async (url: string, timeoutMs: number): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new Unreachable(`the URL answered with status ${response.status}`)
    }
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > MAX_METADATA_BYTES) throw new UnusableMetadata(`has more than ${MAX_METADATA_BYTES} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof UnusableMetadata || error instanceof Unreachable) throw error
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    throw new Unreachable(
      isLate ? `no answer within ${timeoutMs} ms` : `the URL could not be reached: ${fetchFailure(error)}`,
      { cause: error },
    )
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
