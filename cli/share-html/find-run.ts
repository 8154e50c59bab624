import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { isDotName } from '../../domain/run/dot-names.ts'
import { resolveRun } from '../../engine/store/resolve-run.ts'
import type { RunStore } from '../../engine/store/run-store.ts'
import { exportedDocument, readFound, readJson } from '../client/baseline-server.ts'
import { engineServer } from '../client/engine-server.ts'

/** A run to share, with the bytes of its document, gzipped or plain. */
export type FoundRun = {
  readonly id: string
  readonly bytes: Uint8Array
  readonly gzip: boolean
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

const RunOfService = z.object({ id: z.string(), set: z.object({ restricted: z.boolean() }).nullable() })

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
  return { id: run.id, bytes, gzip: false, isRestricted: run.set?.restricted === true, warning: null }
}
