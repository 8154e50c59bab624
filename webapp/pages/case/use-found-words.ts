import { nextTick, onBeforeUnmount, watch } from 'vue'

/** The name of the highlight in the style sheet: `::highlight(found)`. */
const NAME = 'found'

/** Places that are marked at most. */
const MAX_MARKED = 500

/** Words, with symbols and with + and #, which are parts of names such as C++. */
const WORD = /(?:[\p{L}\p{M}\p{N}+#]|(?!\p{ASCII})\p{S})+/gu

/** Words that are searched at any place: of other scripts than Latin, Greek and Cyrillic, with symbols or signs, and parts of ids. */
const ANYWHERE = /[+#]$|[^\0-\u058f\u1d00-\u206f]|\d[a-z]|[a-z]\d/iu

/**
 * A pattern that finds the words of a search at the beginnings of words, and what is found from any part of a text anywhere; null
 * without any word.
 */
export const patternOf = (words: string): RegExp | null => {
  const patterns = words
    .match(WORD)
    ?.map((word) => word.replaceAll('+', '\\+'))
    .map((text) => (ANYWHERE.test(text) ? text : `(?<![\\p{L}\\p{N}])${text}[\\p{L}\\p{N}]*`))
  return patterns ? new RegExp(patterns.join('|'), 'giu') : null
}

/** The app's own words are not marked. */
const OWN_WORDS = '[role=tablist], h3, dt, .btn, .unfold, .position, .sr'
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
  const mark = (): void => {
    const [element, pattern] = [root(), patternOf(words() ?? '')]
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
      const element = root()
      if (element && words() !== null)
        observer.observe(element, { childList: true, subtree: true, characterData: true })
      mark()
    },
    { immediate: true },
  )
  onBeforeUnmount(() => {
    cancelAnimationFrame(frame)
    observer.disconnect()
    CSS.highlights.delete(NAME)
  })
}
