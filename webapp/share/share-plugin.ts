import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { bundle, pageHtml } from '../one-file/bundle.ts'

const ENTRY = fileURLToPath(new URL('main.ts', import.meta.url))

/** Modules of the app that need a server, its data or threads, and what the page has in their place. */
const REPLACED = new Map<string, string>([
  [fileURLToPath(new URL('../api/request.ts', import.meta.url)), fileURLToPath(new URL('request.ts', import.meta.url))],
  [
    fileURLToPath(new URL('../evidence/part-address.ts', import.meta.url)),
    fileURLToPath(new URL('part-address.ts', import.meta.url)),
  ],
  [
    fileURLToPath(new URL('../pages/run/leaderboard/can-choose.ts', import.meta.url)),
    fileURLToPath(new URL('can-choose.ts', import.meta.url)),
  ],
  [
    fileURLToPath(new URL('../components/diff/start-diff.ts', import.meta.url)),
    fileURLToPath(new URL('start-diff.ts', import.meta.url)),
  ],
  [
    fileURLToPath(new URL('../components/share/ShareMenu.vue', import.meta.url)),
    fileURLToPath(new URL('NoShare.vue', import.meta.url)),
  ],
  [
    fileURLToPath(new URL('../pages/run/result/CalibrationFact.vue', import.meta.url)),
    fileURLToPath(new URL('FileCalibration.vue', import.meta.url)),
  ],
  // It is computed from labels, which are not in a file.
  [
    fileURLToPath(new URL('../pages/compare/result/CorrectedDifference.vue', import.meta.url)),
    fileURLToPath(new URL('NoShare.vue', import.meta.url)),
  ],
  [
    fileURLToPath(new URL('../pages/compare/config/ConfigDifference.vue', import.meta.url)),
    fileURLToPath(new URL('FileConfigs.vue', import.meta.url)),
  ],
  ...['PdfView.vue', 'PictureCompare.vue'].map(
    (name) =>
      [
        fileURLToPath(new URL(`../pages/case/attachments/${name}`, import.meta.url)),
        fileURLToPath(new URL('NoViewer.vue', import.meta.url)),
      ] as const,
  ),
])

// `ers share-html` writes the data of a run in place of the comment.
const BODY = `<div id="app"><p class="start" role="status">Unpacking the run…</p></div>
<noscript>This page needs JavaScript to unpack and show the run in it. It sends nothing.</noscript>
<!-- data -->`

/** Adds the page of `ers share-html` to a build, as the file `share.html`, without data. */
export const sharePage: Plugin = {
  name: 'share-page',
  apply: 'build',
  async generateBundle() {
    const source = pageHtml(await bundle(ENTRY, REPLACED), { title: 'Evaluation Results', body: BODY, media: true })
    this.emitFile({ type: 'asset', fileName: 'share.html', source })
  },
}
