import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { bundle, pageHtml } from '../one-file/bundle.ts'

const ENTRY = fileURLToPath(new URL('one-file.ts', import.meta.url))

const BODY = `<main>
<h1>Check a receipt</h1>
<p class="m2">A receipt shows that this exact document was recorded in a log where later changes can be detected. It does not show that the result is true. This page is one file: it needs no server, and it cannot send anything.</p>
<div id="app"></div>
<noscript>Checking needs JavaScript. <code>ers check-receipt</code> checks receipts too.</noscript>
</main>`

/** Adds the page for receipts to a build, as the one file `check-receipt.html`. */
export const oneFile: Plugin = {
  name: 'one-file',
  apply: 'build',
  async generateBundle() {
    const source = pageHtml(await bundle(ENTRY), { title: 'Check a receipt · Evaluation Results', body: BODY })
    this.emitFile({ type: 'asset', fileName: 'check-receipt.html', source })
  },
}
