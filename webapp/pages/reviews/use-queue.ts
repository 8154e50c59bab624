import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { ReviewAgreement } from '../../../queries/reviews/agreement.ts'
import type { ReviewItemList } from '../../../queries/reviews/queue-items.ts'
import type { ReviewQueue, ReviewQueueList } from '../../../queries/reviews/queues.ts'
import { api, ApiError, pathTo, queryOf } from '../../api/api.ts'
import { useList } from '../../api/use-list.ts'

const PAGE_ROWS = 50

export type QueueItem = ReviewItemList['items'][number]

const queueKey = (id: string) => ['review-queue', id] as const

/** A review queue, and what can be done with it. */
export const useQueue = (id: () => string) => {
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: computed(() => queueKey(id())),
    meta: computed(() => ({ live: { reviews: 'only', queue: id() } as const })),
    queryFn: ({ signal }) => api.get<ReviewQueue>(pathTo('review-queues', id()), signal),
    retry: (failures, cause) => !(cause instanceof ApiError && cause.status === 404) && failures < 3,
  })
  const send = async (act: 'close' | 'people', body?: object): Promise<void> => {
    client.setQueryData(queueKey(id()), await api.post<ReviewQueue>(pathTo('review-queues', id(), act), body))
    await Promise.all(
      [['review-queues'], ['review-items'], ['run']].map((queryKey) => client.invalidateQueries({ queryKey })),
    )
  }
  return {
    queue: data,
    error,
    missing: computed(() => error.value instanceof ApiError && error.value.status === 404),
    reload: () => void refetch(),
    close: () => send('close'),
    addPeople: (add: ReadonlyArray<{ readonly name: string; readonly role: string }>) => send('people', { add }),
  }
}

/** How far the people of a closed queue agree. */
export const useAgreement = (id: () => string) =>
  useQuery({
    queryKey: computed(() => ['review-agreement', id()]),
    queryFn: ({ signal }) => api.get<ReviewAgreement>(pathTo('review-queues', id(), 'agreement'), signal),
    staleTime: 60_000,
  })

/** Review queues, the newest first. */
export const useQueues = (filters: () => Readonly<Record<string, string | undefined>>) =>
  useList({
    key: () => ['review-queues', filters()],
    path: ([, given], cursor) => `/review-queues${queryOf({ ...given, limit: PAGE_ROWS, cursor })}`,
    rows: (page: ReviewQueueList) => page.queues,
    meta: computed(() => ({
      live: { reviews: 'only', project: filters()['project'], suite: filters()['suite'] } as const,
    })),
  })

/** The items of a queue, in their order. */
export const useItems = (id: () => string, filters: () => Readonly<Record<string, string | undefined>>) =>
  useList({
    key: () => ['review-items', id(), filters()],
    path: ([, queue, given], cursor) =>
      `${pathTo('review-queues', queue, 'items')}${queryOf({ ...given, limit: PAGE_ROWS, cursor })}`,
    rows: (page: ReviewItemList) => page.items,
    meta: computed(() => ({ live: { reviews: 'only', queue: id() } as const })),
  })
