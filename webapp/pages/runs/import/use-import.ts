import { computed, reactive, readonly, ref, shallowReactive } from 'vue'
import { useQueryClient } from '@tanstack/vue-query'
import type { QueryClient } from '@tanstack/vue-query'
import { uploadRun } from '../../../api/upload.ts'
import type { Uploaded } from '../../../api/upload.ts'
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
  contents: Contents | null
  /**
   * `unreadable` files are no run documents. `failed` ones were rejected by the server, or could not be sent. `why` says
   * what happened.
   */
  state: 'reading' | 'unreadable' | 'ready' | 'sending' | 'stored' | 'failed'
  why: string | null
  sentBytes: number
  stored: Uploaded | null
}

type FileRead = Awaited<ReturnType<typeof readFile>>

// One import for the whole app, because it continues while its dialog is closed.
const items = shallowReactive<ImportItem[]>([])
let keys = 0
let worker: Worker | null = null
let running: AbortController | null = null
const isRunning = ref(false)

/** Reads files in the order in which they were added. */
const startReading = (added: readonly ImportItem[]): void => {
  worker ??= new Worker(new URL('./read-worker.ts', import.meta.url), { type: 'module' })
  const reader = worker
  let position = 0
  const onRead = ({ data: { bytes, isCompressed, contents } }: MessageEvent<FileRead>): void => {
    const item = added[position++]
    if (!item) return
    const isDocument = 'run_id' in contents
    Object.assign(item, {
      bytes,
      isCompressed,
      contents: isDocument ? contents : null,
      state: isDocument ? 'ready' : 'unreadable',
      why: isDocument ? null : `This file ${contents.reason}`,
    })
    if (position === added.length) reader.removeEventListener('message', onRead)
  }
  reader.addEventListener('message', onRead)
  for (const { file } of added) reader.postMessage(file)
}

const store = async (item: ImportItem, signal: AbortSignal): Promise<void> => {
  Object.assign(item, { state: 'sending', sentBytes: 0, why: null })
  try {
    const onProgress = (sentBytes: number): void => void (item.sentBytes = sentBytes)
    item.stored = await uploadRun(item.file, item.isCompressed, { onProgress, signal })
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
  const stored = waiting.filter(({ state }) => state === 'stored').length
  const failed = waiting.filter(({ state }) => state === 'failed').length
  const text = `${plural(stored, 'run')} imported${failed === 0 ? '' : `, ${failed} failed`}`
  announce(text)
  if (!isOpen.value) toast(text, { action: { label: 'Show', run: () => (isOpen.value = true) } })
  if (stored > 0) await Promise.all(LISTS.map((name) => client.invalidateQueries({ queryKey: [name] })))
}

/** The import of run documents from files. */
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
          state: 'reading',
          why: null,
          sentBytes: 0,
          stored: null,
        }),
      )
      items.push(...added)
      startReading(added)
      isOpen.value = true
    },
    start: () => start(client),
    /** Stops after the file that is being sent, which is not stored. */
    cancel: (): void => running?.abort(),
    clear: (): void => {
      if (!isRunning.value) items.splice(0)
    },
  }
}
