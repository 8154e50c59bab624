import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'
import { isDotName } from '../../domain/run/dot-names.ts'
import { resolveRun } from '../../engine/store/resolve-run.ts'
import type { RunStore } from '../../engine/store/run-store.ts'
import type { SharedExtra } from '../../domain/report/shared-parts.ts'
import { SharedCalibration, type SharedComment } from '../../queries/share/shared-file.ts'
import { readAnswer } from '../client/answer.ts'
import { TransientError } from '../client/backoff.ts'
import { exportedDocument, foundIn, readFound, readJson, sendOnce } from '../client/baseline-server.ts'
import { engineServer } from '../client/engine-server.ts'
import { partsInFolder, partsOnService, type PartSource } from './inline-parts.ts'

/** What a service knows of a run besides its document. */
export type ExtrasOfRun = {
  /** The newest first. */
  readonly comments: readonly SharedComment[]
  /** What people say of its judge; null if they say nothing. */
  readonly calibration: SharedCalibration | null
  /** What is missing, and why. */
  readonly warning: string | null
}
export const NO_EXTRAS: ExtrasOfRun = { comments: [], calibration: null, warning: null }

/** A run to share, with the bytes of its document, gzipped or plain. */
export type FoundRun = {
  readonly id: string
  readonly bytes: Uint8Array
  readonly gzip: boolean
  /**
   * Reads what the service knows besides: comments only if they are asked for. A calibration that the service cannot answer
   * at present is left out, as the service does in its own files. Throws `HarnessError` if it cannot be asked.
   */
  readonly readExtras: (extras: readonly SharedExtra[]) => Promise<ExtrasOfRun>
  readonly evidence: PartSource
  /** Whether only some accounts of the service may see it. */
  readonly isRestricted: boolean
  readonly warning: string | null
}

type Places = {
  readonly store: RunStore
  readonly url: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

const CommentsOfService = z.object({
  comments: z.array(z.object({ case_key: z.string().nullable(), text: z.string(), at: z.string() })),
  next_cursor: z.string().nullable(),
})

/** All comments on a run of the service; none of a service that has no comments. */
const commentsOnService = async (
  server: ReturnType<typeof engineServer>,
  path: string,
): Promise<readonly SharedComment[]> => {
  const comments: SharedComment[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: z.infer<typeof CommentsOfService> | null = await readJson(
      server,
      CommentsOfService,
      `${path}/comments?limit=50${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    comments.push(...(page?.comments ?? []))
    cursor = page?.next_cursor ?? null
  }
  return comments
}

/** What people say of the judge of a run, unless the service has no answer yet (503). */
const calibrationOnService = async (
  server: ReturnType<typeof engineServer>,
  path: string,
  run_id: string,
): Promise<Omit<ExtrasOfRun, 'comments'>> => {
  try {
    const found = await sendOnce(
      server,
      path,
      {},
      foundIn(server, (response) => readAnswer(response, SharedCalibration)),
    )
    return { calibration: found?.state === 'none' ? null : found, warning: null }
  } catch (error) {
    const isBusy = error instanceof Error && error.cause instanceof TransientError && error.cause.status === 503
    if (!isBusy) throw error
    return {
      calibration: null,
      warning: `the calibration of the judge of ${run_id} is left out, because the service cannot answer it now: ${error.message}`,
    }
  }
}

const RunOfService = z.object({
  id: z.string(),
  set: z.object({ restricted: z.boolean() }).nullable(),
  judges: z.array(z.unknown()).optional(),
})

/**
 * Finds a run. `latest`, a file and a folder are runs of this machine; an id is that of a run of the service, if one is
 * named and has it, else that of a run stored here. Throws `UsageError` if there is none, and `HarnessError` if the
 * service cannot be asked.
 */
export const findSharedRun = async (reference: string, { store, url, env, signal }: Places): Promise<FoundRun> => {
  if (url !== undefined && reference !== 'latest' && !isDotName(reference) && !existsSync(reference)) {
    const found = await onService(reference, url, env, signal)
    if (found) return found
  }
  const { run, path, isPartial } = await resolveRun(reference, store)
  const bytes = await readFile(path)
  return {
    id: run.run_id,
    bytes,
    gzip: bytes[0] === 0x1f && bytes[1] === 0x8b,
    readExtras: async () => NO_EXTRAS,
    evidence: partsInFolder(dirname(path)),
    isRestricted: false,
    warning: isPartial
      ? `${run.run_id} was interrupted: the file has only its ${run.cases.length} finished cells`
      : null,
  }
}

const onService = async (
  id: string,
  url: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<FoundRun | null> => {
  const server = engineServer(url, env, signal)
  const path = `/runs/${encodeURIComponent(id)}`
  const run = await readJson(server, RunOfService, `${path}/in-suite`)
  if (!run) return null
  const bytes = await readFound(server, `${path}/export`, exportedDocument)
  // The run was deleted meanwhile.
  if (!bytes) return null
  return {
    ...{ id: run.id, bytes, gzip: false, warning: null },
    readExtras: async (extras) => ({
      comments: extras.includes('comments') ? await commentsOnService(server, path) : [],
      ...(run.judges === undefined
        ? { calibration: null, warning: null }
        : await calibrationOnService(server, `${path}/calibration`, run.id)),
    }),
    evidence: partsOnService(server, path),
    isRestricted: run.set?.restricted === true,
  }
}
