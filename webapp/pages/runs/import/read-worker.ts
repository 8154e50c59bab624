import { readFile } from './read-file.ts'

// Reads files off the main thread, because a large document takes a second to parse. One message for each file, answered
// in the same order.
addEventListener('message', ({ data }: MessageEvent<Blob>) => void readFile(data).then((read) => postMessage(read)))
