// Runs before the first paint. The choice of a theme is that of the web app, which stores it under the same name.
{
  const theme = localStorage.getItem('theme')
  const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', isDark)
  document.documentElement.classList.toggle('mac', /Mac|iPhone|iPad/.test(navigator.platform))
}
