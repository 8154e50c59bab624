import { onScopeDispose, shallowRef, toValue, watch, type MaybeRefOrGetter } from 'vue'
import { startDiff } from './start-diff.ts'
import { diffTexts, type TextDiff } from './text-diff.ts'

/** Characters of both sides up to which the difference is computed at once: that takes less time than a frame or two. */
const MAX_AT_ONCE = 6_000

/**
 * The difference of two texts. That of long texts is computed in a thread of its own; until it is there, `diff` is null.
 * `hasFailed`: the thread could not be started.
 */
export const useTextDiff = (base: MaybeRefOrGetter<string>, head: MaybeRefOrGetter<string>) => {
  const diff = shallowRef<TextDiff | null>(null)
  const hasFailed = shallowRef(false)
  let stop: (() => void) | null = null
  const end = (): void => {
    stop?.()
    stop = null
  }
  const start = (texts: { readonly base: string; readonly head: string }): void => {
    stop = startDiff(texts, {
      done: (found) => {
        diff.value = found
        stop = null
      },
      failed: () => {
        hasFailed.value = true
        stop = null
      },
    })
  }
  watch(
    [() => toValue(base), () => toValue(head)],
    ([baseText, headText]) => {
      end()
      hasFailed.value = false
      diff.value = null
      if (baseText.length + headText.length <= MAX_AT_ONCE) diff.value = diffTexts(baseText, headText)
      else start({ base: baseText, head: headText })
    },
    { immediate: true },
  )
  onScopeDispose(end)
  return { diff, hasFailed }
}
