import type { PostDelivery, Posted } from '../../../runtime/webhooks/post-delivery.ts'

type HeldPost = { readonly host: string; readonly answer: () => void }

/**
 * Returns a `post` that sends nothing. Each message is accepted when a spec calls `answer`; it fails when its signal
 * aborts, so that a sender can close after a spec that fails.
 */
export const holdPosts = (): { readonly post: PostDelivery; readonly held: readonly HeldPost[] } => {
  const held: HeldPost[] = []
  const post: PostDelivery = ({ url, signal }) => {
    const { promise, resolve } = Promise.withResolvers<Posted>()
    held.push({ host: new URL(url).hostname, answer: () => resolve({ status: 204, error: null }) })
    signal.addEventListener('abort', () => resolve({ status: null, error: 'timeout' }), { once: true })
    return promise
  }
  return { post, held }
}
