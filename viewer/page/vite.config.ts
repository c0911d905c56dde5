// Builds the page into one script and one style sheet, whose names and bytes follow from the sources alone.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { defineConfig } from 'vite'

const licences = () => {
  const name = (of: string) => {
    const about = JSON.parse(readFileSync(`node_modules/${of}/package.json`, 'utf8'))
    return `${about.name} ${about.version} (${about.license})`
  }
  return `/*! whyperf (MIT OR Apache-2.0), with ${['preact', 'uplot', '@dagrejs/dagre'].map(name).join(', ')} */\n`
}

export default defineConfig({
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      input: 'main.tsx',
      output: { entryFileNames: 'page.js', assetFileNames: 'page.[ext]', format: 'es' },
    },
  },
  plugins: [
    {
      name: 'one-file',
      closeBundle() {
        // It stands inside an element of HTML, which must not end in it.
        const built = readFileSync('dist/page.js', 'utf8')
        // A build that failed leaves what the one before made.
        if (built.startsWith('/*! whyperf')) return
        const script = licences() + built.replaceAll('</script', '<\\/script').trimEnd()
        writeFileSync('dist/page.js', script)
        writeFileSync('dist/page.sha256', createHash('sha256').update(script).digest('base64') + '\n')
      },
    },
  ],
  test: { include: ['**/*.test.ts'], exclude: ['node_modules/**'] },
} as never)
