import { queryOptions } from '@tanstack/vue-query'
import type { DeliveryList } from '../../../../queries/webhooks/deliveries.ts'
import type { WebhookView } from '../../../../queries/webhooks/webhooks.ts'
import { api, pathTo } from '../../../api/api.ts'

/** A webhook with its secret, which is in memory only while the page is open. */
export type WebhookWithSecret = WebhookView & { readonly secret: string }

/** How often deliveries are fetched while one of them waits. */
const REFETCH_MS = 2_000

/** The account's own webhooks. */
export const ownWebhooks = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => api.get<{ webhooks: WebhookView[] }>('/webhooks', signal),
})

/** The newest deliveries of a webhook. */
export const deliveriesOf = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: ({ signal }) => api.get<DeliveryList>(`${pathTo('webhooks', id, 'deliveries')}?limit=20`, signal),
    refetchInterval: ({ state: { data } }) =>
      data?.deliveries.some(({ state }) => state === 'waiting') ? REFETCH_MS : false,
  })
