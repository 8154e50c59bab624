// For tools that read TypeScript only; vue-tsc reads the components themselves.
declare module '*.vue' {
  import type { DefineComponent } from 'vue'
  const component: DefineComponent
  export default component
}
// It starts by itself in a thread.
declare module 'pdfjs-dist/build/pdf.worker.min.mjs'
