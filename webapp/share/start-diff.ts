import type { startDiff as startInThread } from '../components/diff/start-diff.ts'
import { diffTexts } from '../components/diff/text-diff.ts'

/** Computes the difference of two texts after the page has been drawn. This page cannot start a thread. */
export const startDiff: typeof startInThread = (texts, { done }) => {
  const timer = setTimeout(() => done(diffTexts(texts.base, texts.head)))
  return () => clearTimeout(timer)
}
