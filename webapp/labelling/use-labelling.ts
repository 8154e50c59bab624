import { ulid } from 'ulid'
import { computed, onScopeDispose, ref, shallowRef } from 'vue'
import type { Me } from '../../queries/access/sessions.ts'
import type { MyItem, MyQueues } from '../../queries/reviews/my-items.ts'
import { api, ApiError, pathTo } from '../api/api.ts'
import { followInOneTab } from '../live/one-stream.ts'
import { announce } from '../composables/use-announcer.ts'
import { answersOf, draftOf, firstMissing, isChoiceAlone, type Draft, type Question } from './answers.ts'
import { openOutbox, type Sent, type Waiting } from './outbox.ts'
import { watchTime } from './watch-time.ts'

type Items = { readonly items: readonly MyItem[] }
export type DeclineReason = 'conflict' | 'not_qualified' | 'unreadable'

/** Cases that are here before they are needed, with the one that is shown. */
const AHEAD = 5
/** Cases with an own label that one can go back to. */
const MAX_BACK = 200
const RETRY_MS = 5_000
const SOON_MS = 500

const reasonOf = (error: unknown): string => (error instanceof ApiError ? error.message : String(error))
/** Whether sending again may help. */
const isTemporary = (error: ApiError): boolean =>
  error.status === 0 || error.status === 401 || error.status === 429 || error.status >= 500

/** Sends a label of an account. What the server refuses is said; what it could not take now waits. */
const sendLabel = async (
  user_id: string,
  { item, decides, label_id, answers, seconds, recognised, revises }: Waiting,
): Promise<Sent | 'other account'> => {
  const body = { label_id, answers, seconds, recognised }
  try {
    // Another account may have signed in, in another window: the label would be recorded as its own.
    const { user } = await api.get<Me>('/auth/me')
    if (user?.id !== user_id) return 'other account'
    if (decides) await api.post(pathTo('review', 'items', item, 'adjudicate'), body)
    else
      await api.post(pathTo('review', 'items', item, 'labels'), { ...body, ...(revises === null ? {} : { revises }) })
    return 'done'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return isTemporary(error) ? (error.status === 0 ? 'offline' : 'busy') : { refused: error.message }
  }
}

/** Sends a label although the page is left. The answer is not read: the label stays in the outbox until it is sent again. */
const sendLeaving = ({ item, decides, label_id, answers, seconds, recognised, revises }: Waiting): void => {
  const body = { label_id, answers, seconds, recognised, ...(decides || revises === null ? {} : { revises }) }
  void fetch(`/api/v1${pathTo('review', 'items', item, decides ? 'adjudicate' : 'labels')}`, {
    method: 'POST',
    keepalive: true,
    credentials: 'same-origin',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined)
}

/** Items that this browser labelled, the newest last: where `k` leads. */
const labelledItems = (user_id: string, queue_id: string) => {
  const name = `labelled:${user_id}:${queue_id}`
  const read = (): string[] => JSON.parse(localStorage.getItem(name) ?? '[]') as string[]
  const write = (items: readonly string[]): void => localStorage.setItem(name, JSON.stringify(items.slice(-MAX_BACK)))
  return {
    read,
    add: (item: string): void => write([...read().filter((each) => each !== item), item]),
    remove: (item: string): void => write(read().filter((each) => each !== item)),
  }
}

/** Labelling the cases of a queue one by one: what is shown, what was answered, and what is on its way. */
export const useLabelling = (
  user_id: string,
  queue: MyQueues['queues'][number],
  { follows }: { readonly follows: boolean },
) => {
  const queue_id = queue.id
  const decides = queue.role === 'adjudicator'
  const item = shallowRef<MyItem | null>(null)
  const draft = shallowRef<Draft>({})
  const recognised = ref(false)
  /** `saving`: the next case comes once the labels that can still be undone are sent. */
  const state = ref<'loading' | 'case' | 'saving' | 'done' | 'failed'>('loading')
  const failure = ref('')
  const isOffline = ref(false)
  const waiting = shallowRef<readonly Waiting[]>([])
  const refused = shallowRef<{ readonly item: string; readonly reason: string } | null>(null)
  const isClosed = ref(queue.closed_at !== null)
  /** Whether an own label is shown, which saving replaces. */
  const isBack = ref(false)
  const seen = new Map<string, MyItem>()
  const handled = new Set<string>()
  /** The labels that were sent, by their items. */
  const given = new Map<string, string>()
  const back = labelledItems(user_id, queue_id)
  const time = watchTime()
  let ahead: readonly MyItem[] = []
  /** The case at which the person was before going back. */
  let left: MyItem | null = null
  let isAsking = false
  /** Whether another account is signed in by now. */
  let isOther = false
  let hasMore = true
  let retry: ReturnType<typeof setTimeout> | undefined

  const outbox = openOutbox({
    storage: localStorage,
    user_id,
    send: async (label) => {
      const answer = await sendLabel(user_id, label)
      if (answer !== 'other account') return answer
      isOther = true
      location.reload()
      return 'busy'
    },
    changed: (settled) => {
      note()
      if (settled?.queue_id !== queue_id) return
      if (outbox.refused().some(({ label }) => label === settled)) {
        handled.delete(settled.item)
        if (settled.revises === null) labelled.value--
      } else given.set(settled.item, settled.label_id)
      if (settled.isLeft && !outbox.list().some(({ isLeft }) => isLeft)) void refresh()
      if (ahead.length < AHEAD - 1) void ask()
    },
  })
  const note = (): void => {
    waiting.value = outbox.list()
    isOffline.value = outbox.isOffline()
    const [first] = outbox.refused()
    refused.value = first ? { item: first.label.item, reason: first.reason } : null
  }
  for (const { item: id } of outbox.list()) handled.add(id)
  /** Labels that the server cannot have counted yet. It may have those that were on their way when a window was left. */
  const uncounted = (): number =>
    outbox.list().filter((each) => each.queue_id === queue_id && each.revises === null && !each.isLeft).length
  const labelled = ref(queue.done + uncounted())
  const total = ref(queue.done + queue.left)
  note()
  /** Reads how far the account came, and whether there is more for it or nothing any more. */
  const refresh = async (): Promise<void> => {
    const found = await api.get<MyQueues>('/review/queues').catch(() => null)
    if (found === null || isClosed.value) return
    const own = found.queues.find(({ id }) => id === queue_id)
    // The account is not listed any more.
    if (!own) return location.reload()
    labelled.value = own.done + uncounted()
    total.value = own.done + own.left
    if (own.closed_at !== null) end()
    else if (own.left > 0 && state.value === 'done') {
      hasMore = true
      void ask()
    }
  }
  /** Shows that the queue is closed: no label is taken any more. */
  const end = (): void => {
    isClosed.value = true
    hasMore = false
    ahead = []
    left = null
    show(null)
    state.value = 'done'
    announce('The queue is closed')
  }

  const show = (next: MyItem | null, from: 'next' | 'back' = 'next'): void => {
    item.value = next
    isBack.value = from === 'back'
    const pending = outbox.list().findLast(({ item: id }) => id === next?.id)
    const own = next?.labels.findLast(({ standing }) => standing)
    draft.value = pending ? pending.answers : own ? draftOf(own) : {}
    recognised.value = pending?.recognised ?? own?.recognised ?? false
    time.start()
  }
  /** Shows the next case that is here, or says why there is none. */
  const advance = (): void => {
    const [next = null, ...rest] = ahead
    ahead = rest
    show(next)
    if (next) state.value = 'case'
    else if (outbox.list().some((each) => each.queue_id === queue_id)) state.value = 'saving'
    else state.value = hasMore ? 'loading' : 'done'
    if (ahead.length < AHEAD - 2) void ask()
  }

  /** Asks for the next cases. */
  const ask = async (): Promise<void> => {
    if (isAsking || !hasMore) return
    isAsking = true
    clearTimeout(retry)
    try {
      const { items } = await api.post<Items>('/review/next', { queue_id, count: AHEAD })
      if (isClosed.value) return
      const known = new Set([...handled, ...ahead.map(({ id }) => id), ...(item.value ? [item.value.id] : [])])
      const fresh = items.filter(({ id }) => !known.has(id))
      ahead = [...ahead, ...fresh]
      hasMore = items.length > 0
      failure.value = ''
      if (!outbox.isOffline()) isOffline.value = false
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (isTemporary(error)) {
        isOffline.value = error.status === 0
        retry = setTimeout(() => void ask(), RETRY_MS)
      } else hasMore = false
      failure.value = error.message
    } finally {
      isAsking = false
    }
    if (item.value) return
    if (ahead.length > 0) return advance()
    if (failure.value !== '') state.value = 'failed'
    else if (!hasMore) advance()
    // All that came are labelled already: the server reads the last labels soon.
    else if (outbox.list().length === 0) retry = setTimeout(() => void ask(), SOON_MS)
    else state.value = 'saving'
  }

  const save = (): void => {
    const current = item.value
    if (!current) return
    const missing = firstMissing(current.rubric.questions, draft.value)
    if (missing) return announce(`Not answered yet: ${missing.label}`, true)
    if (outbox.isFull()) return announce('No more labels can wait here. Go on when the server answers.', true)
    const own = current.labels.findLast(({ standing }) => standing)
    outbox.add({
      label_id: ulid(),
      item: current.id,
      queue_id,
      decides,
      answers: answersOf(current.rubric.questions, draft.value),
      seconds: time.seconds(),
      recognised: recognised.value,
      revises: decides ? null : (given.get(current.id) ?? own?.id ?? null),
      at: Date.now(),
    })
    if (!isBack.value) {
      labelled.value++
      handled.add(current.id)
    }
    seen.set(current.id, current)
    if (!decides) back.add(current.id)
    announce('Saved')
    resume()
  }
  const resume = (): void => {
    const kept = left
    left = null
    if (isBack.value && kept) {
      show(kept)
      state.value = 'case'
    } else {
      isBack.value = false
      advance()
    }
  }

  const undo = (): void => {
    if (isClosed.value) return announce('The queue is closed: labels cannot be changed any more', true)
    const last = outbox.undo()
    const undone = last && seen.get(last.item)
    if (!last || last.queue_id !== queue_id) return announce('Nothing to undo: the label was sent', true)
    if (last.revises === null) {
      handled.delete(last.item)
      back.remove(last.item)
      labelled.value--
      hasMore = true
    }
    const kept = isBack.value ? left : item.value
    left = null
    if (kept) ahead = [kept, ...ahead]
    if (undone) {
      show(undone, last.revises === null ? 'next' : 'back')
      draft.value = last.answers
      recognised.value = last.recognised
      state.value = 'case'
    } else void ask()
    announce('Undone')
  }

  /** Shows the own label before the one that is shown. */
  const goBack = async (): Promise<void> => {
    const items = back.read()
    const at = isBack.value && item.value ? items.indexOf(item.value.id) : items.length
    const id = items[at - 1]
    if (id === undefined) return announce('There is no earlier label of yours in this browser', true)
    try {
      // What was labelled a moment ago is here as it was. Once its label was sent, it is read with it.
      const isPending = outbox.list().some((each) => each.item === id)
      const found = (isPending ? seen.get(id) : undefined) ?? (await api.get<MyItem>(pathTo('review', 'items', id)))
      if (!isBack.value) left = item.value
      show(found, 'back')
      state.value = 'case'
    } catch (error) {
      announce(`The label could not be read: ${reasonOf(error)}`, true)
    }
  }

  /** Gives the case to another person. Throws: ApiError. */
  const decline = async (reason: DeclineReason): Promise<void> => {
    const current = item.value
    if (!current) return
    await api.post(pathTo('review', 'items', current.id, 'decline'), { reason })
    handled.add(current.id)
    total.value--
    advance()
  }

  const again = (): void => {
    void outbox.flush()
    void ask()
  }
  const leave = (): void => {
    if (!outbox.isOffline() && !isOther) outbox.leave().forEach(sendLeaving)
  }
  const lookAgain = (): void => {
    if (document.visibilityState === 'visible') void refresh()
  }
  const live = new AbortController()
  // An account that only labels has no stream of events. It looks when the page is shown again.
  if (follows && !isClosed.value)
    followInOneTab({
      signal: live.signal,
      onEvent: (event) => {
        if (event.kind !== 'changed' || event.change.reviews?.some(({ id }) => id === queue_id)) void refresh()
      },
      onState: () => undefined,
    })
  document.addEventListener('visibilitychange', lookAgain)
  addEventListener('online', again)
  addEventListener('pagehide', leave)
  onScopeDispose(() => {
    live.abort()
    document.removeEventListener('visibilitychange', lookAgain)
    removeEventListener('online', again)
    removeEventListener('pagehide', leave)
    clearTimeout(retry)
    outbox.close()
    time.stop()
  })
  if (isClosed.value) {
    hasMore = false
    state.value = 'done'
  } else void ask()

  const questions = computed<readonly Question[]>(() => item.value?.rubric.questions ?? [])
  return {
    item,
    draft,
    recognised,
    state,
    failure,
    isOffline,
    isBack,
    isClosed,
    decides,
    waiting,
    refused,
    questions,
    labelled,
    total: computed(() => Math.max(total.value, labelled.value + (item.value && !isBack.value ? 1 : 0))),
    hasLabels: computed(() => waiting.value.length >= 0 && back.read().length > 0),
    /** Whether the key of a choice saves it. */
    savesAtOnce: computed(() => isChoiceAlone(questions.value)),
    save,
    undo,
    goBack,
    resume,
    decline,
    forget: outbox.forget,
    retry: again,
  }
}
