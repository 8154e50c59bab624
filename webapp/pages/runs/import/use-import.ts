import { computed, reactive, readonly, ref, shallowReactive, type DeepReadonly } from 'vue'
import { useQueryClient, type QueryClient } from '@tanstack/vue-query'
import type { ImportResult } from '../../../../queries/imports/import-result.ts'
import { importFile, uploadRun, type ImportChoices, type ScoreChoice } from '../../../api/upload.ts'
import { api, ApiError, pathTo } from '../../../api/api.ts'
import { whyFailed } from '../../../api/why-failed.ts'
import { isImportOpen as isOpen } from '../../../runs/import-dialog.ts'
import { announce } from '../../../composables/use-announcer.ts'
import { toast } from '../../../composables/use-toasts.ts'
import { plural } from '../../../text/format.ts'
import type { Contents } from './read-document.ts'
import type { readFile } from './read-file.ts'

/** A chosen file on its way to the server. */
export type ImportItem = {
  readonly key: number
  readonly name: string
  readonly file: File
  /** Null until the file was read. */
  bytes: number | null
  isCompressed: boolean
  /** Of a run document. */
  contents: Contents | null
  /** Of a file of another tool: what an import of it would do. */
  found: Found | null
  /** Where the runs of such a file go, if not where the file says. */
  choices: ImportChoices
  /**
   * `unreadable` files hold no results. `failed` ones were rejected by the server, or could not be sent. `why` says what
   * happened. `isForCommand`: only the command can import it.
   */
  state: 'reading' | 'unreadable' | 'ready' | 'sending' | 'stored' | 'failed'
  why: string | null
  isForCommand: boolean
  sentBytes: number
  /** Whether a run with the id of the document is stored already. */
  isKnown: boolean
  /** The stored runs. */
  stored: readonly StoredRun[]
}

/** What a file of another tool holds. */
export type Found = DeepReadonly<ImportResult>

/** A run that was stored, or is stored already. */
export type StoredRun = { readonly id: string; readonly isNew: boolean; readonly hasNewEvidence?: boolean }

type FileRead = Awaited<ReturnType<typeof readFile>>

// One import for the whole app, because it continues while its dialog is closed.
const items = shallowReactive<ImportItem[]>([])
let keys = 0
let worker: Worker | null = null
let running: AbortController | null = null
const isRunning = ref(false)

/** Finds whether the run of a document is stored. If it cannot be asked, the upload says it. */
const findStored = async (item: ImportItem, run_id: string): Promise<void> => {
  item.isKnown = await api.get(pathTo('runs', run_id)).then(
    () => true,
    () => false,
  )
}

/** Reads files in the order in which they were added. */
const startReading = (added: readonly ImportItem[]): void => {
  worker ??= new Worker(new URL('./read-worker.ts', import.meta.url), { type: 'module' })
  const reader = worker
  let position = 0
  const onRead = ({ data: { bytes, isCompressed, contents } }: MessageEvent<FileRead>): void => {
    const item = added[position++]
    if (!item) return
    Object.assign(item, { bytes, isCompressed })
    if ('run_id' in contents) {
      Object.assign(item, { contents, state: 'ready' })
      void findStored(item, contents.run_id)
    } else if (contents.isForServer) void look(item, contents.reason)
    else
      Object.assign(item, {
        state: 'unreadable',
        why: `This file ${contents.reason}`,
        isForCommand: contents.isForCommand,
      })
    if (position === added.length) reader.removeEventListener('message', onRead)
  }
  reader.addEventListener('message', onRead)
  for (const { file } of added) reader.postMessage(file)
}

let importing: Promise<unknown> = Promise.resolve()

/** Runs imports one after another: the server refuses an account whose import waits already. */
const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
  const result = importing.then(work)
  importing = result.catch(() => undefined)
  return result
}

/**
 * Sends the file to the server again, with what the user entered about scores. An answer to an earlier choice is dropped. A
 * refusal is shown, and the earlier result stays.
 */
const lookAgain = async (item: ImportItem): Promise<void> => {
  const { choices } = item
  const options = { onProgress: () => undefined, signal: new AbortController().signal }
  const isLate = () => item.choices.scores !== choices.scores || item.state === 'sending' || item.state === 'stored'
  try {
    const found = await inTurn(async () =>
      isLate() ? null : importFile(item.file, { ...choices, isDryRun: true }, options),
    )
    if (found && !isLate()) Object.assign(item, { found, why: null, state: 'ready' })
  } catch (error) {
    if (!isLate()) item.why = error instanceof ApiError && error.status < 500 ? error.message : whyFailed(error)
  }
}

/** Asks the server what a file of another tool holds. `reason` is why it is no run document. */
const look = async (item: ImportItem, reason: string): Promise<void> => {
  const options = { onProgress: () => undefined, signal: new AbortController().signal }
  try {
    const found = await inTurn(() => importFile(item.file, { isDryRun: true }, options))
    Object.assign(item, { found, state: 'ready' })
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status === 422
    const why = isRefused ? `This file ${reason} Nor is it a file of another tool: ${error.message}` : whyFailed(error)
    Object.assign(item, { state: 'unreadable', why })
  }
}

/** Sends a file, and returns the stored runs. Throws what the requests throw. */
const send = async (item: ImportItem, signal: AbortSignal): Promise<readonly StoredRun[]> => {
  const onProgress = (sentBytes: number): void => void (item.sentBytes = sentBytes)
  if (!item.found) return [await uploadRun(item.file, item.isCompressed, { onProgress, signal })]
  const { runs, refused } = await inTurn(() =>
    importFile(item.file, { ...item.choices, isDryRun: false }, { onProgress, signal }),
  )
  const changed = runs.filter(({ outcome }) => outcome === 'changed')
  const problems = [
    ...refused.map(({ part, reason }) => (part === null ? reason : `${part}: ${reason}`)),
    ...changed.map(({ part, id }) => `${part ?? id} is stored with other content: it was not changed.`),
  ]
  if (problems.length > 0) item.why = problems.slice(0, MAX_PROBLEMS).join('\n')
  return runs.map(({ id, outcome }) => ({
    id,
    isNew: outcome === 'imported',
    hasNewEvidence: outcome === 'evidence_added',
  }))
}

const MAX_PROBLEMS = 5

const store = async (item: ImportItem, signal: AbortSignal): Promise<void> => {
  Object.assign(item, { state: 'sending', sentBytes: 0, why: null })
  try {
    item.stored = await send(item, signal)
    item.state = 'stored'
  } catch (error) {
    if (signal.aborted) item.state = 'ready'
    else Object.assign(item, { state: 'failed', why: whyFailed(error) })
  }
}

/** The queries whose results contain the runs of a list or numbers of them. */
const LISTS = ['runs', 'projects', 'sets', 'overview', 'suite-runs', 'search']

const start = async (client: QueryClient): Promise<void> => {
  if (running) return
  const controller = new AbortController()
  running = controller
  isRunning.value = true
  const waiting = items.filter(({ state }) => state === 'ready' || state === 'failed')
  for (const item of waiting) {
    if (controller.signal.aborted) break
    await store(item, controller.signal)
  }
  running = null
  isRunning.value = false
  const stored = waiting.flatMap((item) => item.stored).length
  const failed = waiting.filter(({ state }) => state === 'failed').length
  const text = `${plural(stored, 'run')} imported${failed === 0 ? '' : `, ${failed} failed`}`
  announce(text)
  if (!isOpen.value) toast(text, { action: { label: 'Show', run: () => (isOpen.value = true) } })
  if (stored > 0) await Promise.all(LISTS.map((name) => client.invalidateQueries({ queryKey: [name] })))
}

/** The import of run documents, and of results of other tools, from files. */
export const useImport = () => {
  const client = useQueryClient()
  return {
    items: readonly(items),
    isOpen,
    isRunning: readonly(isRunning),
    isReading: computed(() => items.some(({ state }) => state === 'reading')),
    /** Adds files and shows them in the dialog. Nothing is uploaded yet. */
    add: (files: readonly File[]): void => {
      if (files.length === 0) return
      if (!isRunning.value && items.every(({ state }) => state === 'stored')) items.splice(0)
      const added = files.map((file): ImportItem =>
        reactive<ImportItem>({
          key: ++keys,
          name: file.name,
          file,
          bytes: null,
          isCompressed: false,
          contents: null,
          found: null,
          choices: {},
          state: 'reading',
          why: null,
          isForCommand: false,
          sentBytes: 0,
          isKnown: false,
          stored: [],
        }),
      )
      items.push(...added)
      startReading(added)
      isOpen.value = true
    },
    /** Sets where the runs of a file of another tool go. An empty text leaves it to the file. */
    choose: (key: number, name: 'project' | 'suite', value: string): void => {
      const item = items.find((other) => other.key === key)
      if (!item) return
      const { [name]: _, ...others } = item.choices
      item.choices = value.trim() === '' ? others : { ...others, [name]: value.trim() }
    },
    /** Sets what the user entered about a score of such a file. */
    chooseScore: (key: number, name: string, choice: ScoreChoice): void => {
      const item = items.find((other) => other.key === key)
      if (!item) return
      item.choices = { ...item.choices, scores: { ...item.choices.scores, [name]: choice } }
    },
    /** Previews such a file again, with what the user entered about its scores. */
    look: (key: number): void => {
      const item = items.find((other) => other.key === key)
      if (item) void lookAgain(item)
    },
    start: () => start(client),
    /** Stops after the file that is being sent, which is not stored. */
    cancel: (): void => running?.abort(),
    clear: (): void => {
      if (!isRunning.value) items.splice(0)
    },
  }
}
