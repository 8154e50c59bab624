import { AnnotationMode, getDocument, PDFWorker, type PDFDocumentProxy } from 'pdfjs-dist'

/** Pixels of a picture in a document, and of a page that is drawn. */
const MAX_IMAGE_PIXELS = 50_000_000
const MAX_PAGE_PIXELS = 16_000_000
const MAX_SCALE = 4

export type OpenPdf = {
  readonly pages: number
  /** Draws a page as wide as a canvas is shown. */
  readonly draw: (page: number, canvas: HTMLCanvasElement, width: number) => Promise<void>
  readonly close: () => void
}

/**
 * Opens a PDF in a thread of its own. Only its pages are drawn: no links, forms, scripts or files of it are read, and nothing is fetched. Throws
 * if it is damaged or has a password.
 */
export const openPdf = async (data: Uint8Array): Promise<OpenPdf> => {
  const thread = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' })
  const worker = PDFWorker.create({ port: thread, verbosity: 0 })
  const broken = new Promise<never>((_resolve, reject) => {
    thread.addEventListener('error', () => reject(new Error('the thread that reads the PDF ended')))
  })
  const close = (): void => {
    worker.destroy()
    thread.terminate()
  }
  try {
    const opening = getDocument({
      data,
      worker,
      enableXfa: false,
      useWasm: false,
      useWorkerFetch: false,
      disableAutoFetch: true,
      disableWorkerRendering: true,
      maxImageSize: MAX_IMAGE_PIXELS,
      verbosity: 0,
    })
    const document: PDFDocumentProxy = await Promise.race([opening.promise, broken])
    return {
      pages: document.numPages,
      draw: async (number, canvas, width) => {
        const page = await document.getPage(number)
        const own = page.getViewport({ scale: 1 })
        const most = Math.min(MAX_SCALE, Math.sqrt(MAX_PAGE_PIXELS / (own.width * own.height)))
        const viewport = page.getViewport({ scale: Math.min(most, (width * devicePixelRatio) / own.width) })
        canvas.width = Math.max(1, Math.floor(viewport.width))
        canvas.height = Math.max(1, Math.floor(viewport.height))
        await page.render({ canvas, viewport, annotationMode: AnnotationMode.DISABLE }).promise
        page.cleanup()
      },
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}
