import { compareEvents, type Compared } from '../../components/diff/compare-events.ts'

// A thread that compares two transcripts and sends the result back. Only scripts of this page can send to it.
addEventListener('message', ({ data }: MessageEvent<{ readonly base: Compared[]; readonly head: Compared[] }>) => {
  postMessage(compareEvents(data.base, data.head))
})
