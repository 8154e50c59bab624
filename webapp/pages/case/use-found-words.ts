import { nextTick, onBeforeUnmount, watch } from 'vue'

/** The name of the highlight in the style sheet: `::highlight(found)`. */
const NAME = 'found'

/** Places that are marked at most. */
const MAX_MARKED = 500

/** The app's own words are not marked. */
const OWN_WORDS = '.tabs, h3, dt, .btn, .unfold, .position, .sr'
const isStored = ({ parentElement }: Node): number =>
  parentElement?.closest(OWN_WORDS) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT

/** The places where a pattern occurs in the text below an element. */
const rangesIn = (root: HTMLElement, pattern: RegExp): Range[] => {
  const ranges: Range[] = []
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, isStored)
  for (let node = texts.nextNode(); node && ranges.length < MAX_MARKED; node = texts.nextNode())
    for (const { index, 0: found } of (node.nodeValue ?? '').matchAll(pattern)) {
      const range = new Range()
      range.setStart(node, index)
      range.setEnd(node, index + found.length)
      ranges.push(range)
    }
  return ranges
}

/**
 * Marks the words of a search in the text below an element, and scrolls to the first of them once. The marks are ranges
 * over the text, so that stored text never becomes markup. A browser without the CSS Custom Highlight API shows none.
 */
export const useFoundWords = (
  root: () => HTMLElement | null,
  words: () => string | null,
  content: () => readonly unknown[],
): void => {
  if (!('highlights' in CSS)) return
  let hasScrolled = false
  let frame = 0
  let pattern: RegExp | null = null
  let isGone = false
  const mark = (): void => {
    const element = root()
    const ranges = element && pattern ? rangesIn(element, pattern) : []
    CSS.highlights.set(NAME, new Highlight(...ranges))
    // The head of the drawer is always in view.
    const first = ranges
      .map(({ startContainer }) => startContainer.parentElement)
      .find((each) => !each?.closest('.drawer-head'))
    if (!first || hasScrolled) return
    hasScrolled = true
    first.scrollIntoView({ block: 'center' })
  }
  // Text that is shown later, as after “Show all”, is marked too.
  const observer = new MutationObserver(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(mark)
  })
  watch(
    () => [...content(), words()],
    async () => {
      observer.disconnect()
      hasScrolled = false
      await nextTick()
      const typed = words()
      // Only a link from a search needs it.
      pattern = typed === null ? null : (await import('./found-pattern.ts')).patternOf(typed)
      if (isGone) return
      const element = root()
      if (element && typed !== null) observer.observe(element, { childList: true, subtree: true, characterData: true })
      mark()
    },
    { immediate: true },
  )
  onBeforeUnmount(() => {
    isGone = true
    cancelAnimationFrame(frame)
    observer.disconnect()
    CSS.highlights.delete(NAME)
  })
}
