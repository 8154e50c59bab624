// The thread that reads a PDF: the one of pdfjs-dist, built with the app.
import 'pdfjs-dist/build/pdf.worker.min.mjs'
