// FullCalendar in Chromium with the posts of posts.json, as a person uses it. Prints one line of JSON last.
// A time runs from the call to after the frame that it brings; CPU is that of the page's main thread.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import puppeteer from 'puppeteer-core'

const [executablePath, headless] = process.argv.slice(2)
const TURNS = 10
const MOVES = 120
const SIZE = { width: 1440, height: 900 }
const VIEWS = { month: 'dayGridMonth', week: 'timeGridWeek' }

const percentile = (samples, share) =>
  samples.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * samples.length) - 1)]

const browser = await puppeteer.launch({
  executablePath,
  headless: headless === 'headless',
  defaultViewport: headless === 'headless' ? SIZE : null,
  protocolTimeout: 0, // many posts take it minutes
  args: [`--window-size=${SIZE.width},${SIZE.height}`, '--no-sandbox', '--allow-file-access-from-files', '--no-first-run'],
})
const posts = JSON.parse(readFileSync('posts.json', 'utf8'))
const found = {}
for (const [span, view] of Object.entries(VIEWS)) {
  for (const [name, value] of Object.entries(await measure(view))) found[`${span}_${name}`] = value
}
await browser.close()
console.log(JSON.stringify(found))

async function measure(view) {
  const page = await browser.newPage()
  await page.goto(pathToFileURL('fullcalendar.html').href)
  const first = await page.evaluate(begin, posts, view)
  const turns = await page.evaluate(turn, TURNS, ['next'])
  const revisits = await page.evaluate(turn, TURNS, ['prev', 'next'])
  const filters = await page.evaluate(filter, 3)
  const moves = await drag(page)
  const memory = await page.metrics()
  await page.close()
  return {
    first_paint_ms: first,
    next_ms_p50: percentile(turns, 0.5),
    revisit_ms_p50: percentile(revisits, 0.5),
    filter_ms_p50: percentile(filters, 0.5),
    drag_move_cpu_ms_p50: percentile(moves, 0.5),
    drag_move_cpu_ms_p95: percentile(moves, 0.95),
    heap_mb: memory.JSHeapUsedSize / 2 ** 20,
  }
}

// In the page -----------------------------------------------------------------------------------------------

function begin(posts, view) {
  window.painted = (action) =>
    new Promise((done) => {
      const start = performance.now()
      action()
      requestAnimationFrame(() => {
        const channel = new MessageChannel()
        channel.port1.onmessage = () => done(performance.now() - start)
        channel.port2.postMessage(null)
      })
    })
  window.shown = () => true
  return window.painted(() => {
    window.calendar = new FullCalendar.Calendar(document.getElementById('calendar'), {
      initialView: view,
      height: '100%',
      editable: true,
      dayMaxEvents: true,
      eventDidMount: ({ el }) => el.classList.add('post'),
      events: (_range, take) => take(posts.filter(window.shown)),
    })
    window.calendar.render()
  })
}

async function turn(count, ways) {
  const taken = []
  for (let n = 0; n < 2 * count; n++) {
    taken.push(await window.painted(() => window.calendar[ways[n % ways.length]]()))
  }
  return taken
}

async function filter(count) {
  const taken = []
  for (let n = 0; n < 2 * count; n++) {
    window.shown = n % 2 ? () => true : (post) => post.platform === 'linkedin'
    taken.push(await window.painted(() => window.calendar.refetchEvents()))
  }
  return taken
}

async function drag(page) {
  const card = await page.evaluateHandle(() => {
    window.calendar.today()
    return [...document.querySelectorAll('.post')].find((one) => {
      const box = one.getBoundingClientRect()
      return box.width > 20 && box.height > 10 && box.height < 80 && box.y > 80 && box.bottom < innerHeight - 80
    })
  })
  const box = await card.asElement().boundingBox()
  await page.mouse.move(box.x + 9, box.y + 6)
  await page.mouse.down()
  await page.mouse.move(box.x + 40, box.y + 30, { steps: 4 })
  const taken = []
  for (let n = 0; n < MOVES; n++) {
    const before = (await page.metrics()).TaskDuration
    await page.mouse.move(80 + ((7 * n) % (SIZE.width - 160)), 120 + ((5 * n) % (SIZE.height - 280)))
    await page.evaluate(() => new Promise(requestAnimationFrame))
    taken.push(1000 * ((await page.metrics()).TaskDuration - before))
  }
  await page.mouse.up()
  return taken
}
