import { diffTexts } from './text-diff.ts'

// A thread that compares two texts, sends the difference back, and ends. Only scripts of this page can send to it.
addEventListener('message', ({ data }: MessageEvent<{ readonly base: string; readonly head: string }>) => {
  postMessage(diffTexts(data.base, data.head))
})
