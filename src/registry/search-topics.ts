/**
 * Fields of life and work, each with the words tools use for it (before the colon) and the words people use (after).
 * Two texts about the same field are a little alike even if they share no word.
 * Owns language, not tools: nothing here is written so that one particular catalogue comes out right.
 */

const topics = `
weather forecast temperature conditions : rain raining rainy snow snowing sunny sun umbrella jacket coat wind windy cloud cloudy fog humid humidity hot cold warm cool freezing degree celsius fahrenheit outside outdoors climate ice dry wet sky meteorology picnic barbecue weekend outdoor wear trip
alert severe warning storm : hurricane tornado flood blizzard thunderstorm lightning heatwave emergency evacuate wildfire typhoon tsunami danger
air quality pollution : smog pollen allergy asthma breathe dust aqi ozone polluted emission smoke
tide marine ocean : beach coast sea wave surf surfing sailing boat harbor vessel ship water swim fishing buoy
place location map nearby : where around here near closest neighborhood spot local area venue cafe shop store pharmacy gas parking atm bank museum park close open hours find best recommend restaurants attractions sightseeing tourist landmark
geocode coordinates address : latitude longitude street zip postal postcode gps house number point
directions route distance navigation : drive driving walk walking far way road highway traffic bike travel reach mile kilometer commute long get fastest how car foot
elevation terrain : mountain hill altitude height high peak summit
ride taxi driver pickup : uber lyft cab car downtown fare lift chauffeur drop book take home airport
transit bus train departure : subway metro tram station stop platform line timetable schedule commute railway ticket rail connection catch next when leaves
flight airline airport : plane airplane fly flying ticket boarding pass gate luggage baggage layover takeoff landing passenger seat departure arrival delayed cheap trip travel abroad vacation aircraft jet cheapest fare round itinerary holiday book
hotel room accommodation reservation : stay night overnight lodging hostel motel resort guest checkin suite bed trip vacation travel visitor somewhere book place cheap weekend budget
rental listing apartment : airbnb rent lease tenant landlord flat vacation cottage villa house host
rental car vehicle : hire rent drive pickup suv van
restaurant table menu cuisine : dinner lunch breakfast brunch eat eating hungry dine dining food cafe bistro pizzeria sushi pizza burger steak waiter party reservation tonight people place italian chinese mexican indian thai book date vegetarian
food delivery order : takeout takeaway pizza burger hungry home bring meal courier
recipe ingredient cooking : cook bake dish kitchen oven chicken egg spinach pasta soup cake bread rice vegetable meat fish dinner vegan vegetarian dessert lasagna fridge make prepare leftovers meal
meal plan nutrition calorie diet : eat eating food healthy protein fat carbohydrate vitamin sugar banana apple lose weight week vegetarian keto intake
grocery shopping list : buy supermarket milk bread ingredient
workout fitness training exercise : run running jog marathon gym lift muscle swim cycling bike yoga sport coach athlete 5k race fit goal prepare burn log routine strong session
health tracking sleep steps heart weight : slept tired rest pulse walked walk bpm body scale wearable watch night well activity last
doctor physician clinic appointment : see visit dermatologist dentist cardiologist pediatrician specialist hospital medical checkup nurse skin tooth eye sick book
drug medicine medication prescription : pill tablet ibuprofen aspirin antibiotic dose dosage side effect pharmacy pharmacist painkiller together take refill safe mix interact effects
symptom diagnosis condition disease : headache fever cough pain sick ill illness nausea rash sore throat cold flu infection cancer diabetes health feel hurt wrong unwell what
patient medical record lab : blood test cholesterol hospital history chart clinical ehr nurse
clinical trial study : participant treatment vaccine research
research paper article literature : study scientist scientific science journal academic publication preprint abstract citation cite reference finding evidence university memory brain papers published studies find topic quantum cancer climate
encyclopedia article knowledge summary : wikipedia biography history who famous person tell life born invented fact about learn explain what background overview information
math equation expression compute : solve algebra calculus integral derivative curve area x sum multiply divide square root number geometry arithmetic calculate evaluate percent result plus minus times
unit convert measurement : mile kilometer meter foot inch yard pound kilogram gram ounce liter gallon celsius fahrenheit cup spoon
statistics data analysis regression : average mean median deviation correlation significant significance difference group sample distribution variance trend numbers predict relationship analyze
anomaly outlier : weird strange unusual odd suspicious abnormal spike
stock quote market price symbol : share shares apple tesla microsoft nvidia google trading ticker nasdaq wall street investor equity value worth company performance amazon
portfolio investment position broker : invest investing stocks shares own hold gain loss performance wealth savings doing return my gains holdings
trade order buy sell : purchase shares stock broker limit
company financials earnings dividend : profit revenue quarter annual report income statement
currency exchange rate convert : dollar euro yen pound rupee yuan franc peso money foreign forex travel how much usd eur gbp jpy worth
crypto coin token blockchain wallet : bitcoin ethereum ether eth btc dogecoin nft transfer friend gas fee smart contract mining price value send balance
economic indicator : inflation unemployment gdp economy interest growth country
mortgage loan calculator : house home borrow monthly rate interest payment credit debt bank afford
bank account transaction balance : spend spent spending money card statement deposit withdraw last week purchases saving paycheck history expenses
insurance policy claim quote : insurer accident damage damaged crash car theft cover insure premium cost file
property real estate home house listing : apartment flat rent buy bedroom worth value sell neighborhood landlord realtor move apartments sale market
school district education : children kids
news headline article : happened happening world today latest current press journalist politics event story events updates stories
web search internet : google online look information find bing engine latest search
web page fetch url content : website link site read open browse html internet article visit contents download
crawl scrape extract : site pages links collect data harvest website all
domain dns host whois : registered owner owns website nameserver subdomain ip point record registrar
certificate ssl security : https tls expire expiring secure
ping network host : reachable server latency alive respond online
performance speed load page : slow fast website seconds
translate language : french german spanish english chinese japanese italian portuguese korean russian arabic say foreign word bilingual convert meaning text sentence
grammar spelling check text : typo mistake error proofread correct essay sentence punctuation writing fix improve errors email
summarize summary text : shorten short tldr brief main points long digest article key report
paraphrase rewrite text tone : reword rephrase polite politely formal casual paragraph sentence style nicer wording other improve polish
plagiarism : copied cheating original student
dictionary word definition thesaurus : meaning mean synonym antonym pronounce vocabulary term another
speech audio voice text : speak spoken aloud loud narrate read listen sound podcast narration say voiceover
transcribe transcript audio speech : podcast interview lecture recording dictation spoken said text subtitles words meeting write down convert
audio noise sound : hiss background clean recording vocals instrumental karaoke music
image generate picture : draw drawing paint art artwork illustration cat logo create imagine portrait photo design make
image edit photo : picture retouch crop filter change photoshop adjust brightness remove
background remove photo image : cut out behind subject person transparent everything
upscale resolution image : blurry bigger sharp sharpen quality enlarge enhance pixel
ocr text image recognize : sign photographed scanned handwriting read receipt printed says written extract scan picture
image describe vision : see seen what picture photo shows object
face detect recognize : who person people photo
exif photo camera metadata : taken where location picture when shot
resize compress image file size : smaller shrink reduce bigger width height
video trim clip edit : cut seconds shorten beginning scene movie film length
subtitle caption video : text words translate
video convert merge frame : clip join format mp4 glue together still movie combine
pdf document : page file merge split combine sign acrobat convert extract
redact pdf : hide black out censor names sensitive private
form pdf fill : field complete application
music song track playlist : play jazz rock pop listen album artist band singer tune spotify similar next skip pause loud volume hear put tunes mood relax party
lyrics song : words sing text
recommend suggestion similar : like suggest favorite taste
movie film series : watch cinema actor cast plot stream netflix tv show theater tonight plays see good recommend
streaming service : watch netflix movie where available
book library author : read novel isbn borrow reading literature publisher recommend writer
game chess dice : play move puzzle player board
sports match score league team standings fixture : football soccer basketball tennis baseball hockey win won top champion season player game play cup tournament last night result playing tonight lost beat
light lamp smart home device : switch on off kitchen bedroom living room dim bright bulb brightness turn dark
thermostat temperature heating : warm warmer cold colder heat cool room house too hot set degrees
door lock security camera home : house unlock close gate alarm burglar garage lock safe check watch see outside
vacuum robot : clean floor dust carpet
energy electricity power consumption : usage use bill solar watt meter
vehicle car battery charging : electric ev tesla parked park drive garage charge range warm fuel where plug level
shipping parcel package tracking : send mail box deliver delivered delivery arrive courier ups fedex dhl post where ship cost weight arrived order status late
shipping rate label carrier : cost send box stamp spain country
quiz question education : test exam chapter learn student teach class study practice students questions
course lesson student enroll : learn online class teach school university tutorial skill study
homework assignment grade : teacher student mark due essay
flashcard study : memorize learn vocabulary
visa travel government : passport country need border abroad traveler japan embassy entry requirement
tax income rate : government irs pay bracket refund
holiday public calendar : bank christmas easter day off
population census statistics : people country city demographic live
sunrise sunset sun time : come up rise dawn dusk daylight dark golden hour light
moon star planet astronomy : sky night telescope mars visible constellation orbit space satellite asteroid
earthquake seismic : quake magnitude tremor volcano
crop field farm agriculture : plant harvest soil water irrigation farmer seed garden livestock cow animal
chemical compound molecule substance safety : poisonous toxic hazard reaction acid formula
gene protein sequence : dna rna biology cell mutation
ancestor genealogy record : family grandfather tree born
password security breach leak : hacked stolen pwned exposed compromised account data safe strong secure check
malicious url scan security : dangerous link phishing virus malware safe click suspicious website
vulnerability security scan code : hole exploit cve advisory safe unsafe dependency attack
time timezone current : clock oclock hour sydney york berlin what now city
reminder alarm timer : remind forget wake later remember ring buy notify tomorrow
countdown date : days until left
memory knowledge fact : remember know recall about me mind save store preference
message chat channel : tell say team post write talk slack group dm announce colleagues everyone inform update folks everybody heads up ping mention broadcast notification announcement discord teams telegram
direct message private : dm privately write person
thread reply conversation : answer respond message discussion
message history channel : said say talked discussed today read recent mentioned
status presence : away busy lunch meeting let know colleagues
reaction emoji : thumbs like heart react
poll vote survey : decide opinion choose ask options date
member ban moderation : kick troll spam abuse remove server moderator
sms text phone : mobile cell message number send wife friend late whatsapp
phone call voice : ring dial telephone speak mobile number
email mail message : inbox write letter send sender recipient subject landlord client reply gmail outlook correspondence forward cc thread unread newsletter respond
email search inbox : find message from bank received
email filter label folder : sort automatically rule newsletter incoming
spam junk email : unwanted trash phishing
vacation responder automatic reply : holiday away out office answer
email draft : prepare write later
calendar event meeting appointment : schedule lunch friday noon tomorrow put add date agenda today plan monday shift book slot reschedule invite conference sync standup block birthday afternoon postpone
availability free slot calendar : everybody everyone when time free open busy meet hour
invitation respond event : accept decline attend join come say
booking link appointment schedule : clients pick time book slot meet
video meeting conference : call zoom online client remote join teams host
recording transcript meeting : discussed said talked video last attended notes what
participant attendee meeting : joined attended present who
wiki page document knowledge note : write notes documentation article space write notebook jot draft minutes handbook guide
document text edit : doc word paragraph insert replace occurrence swap write letter report contract template wording phrase
spreadsheet cell range row formula : excel sheet numbers column sum table negative highlight region budget list figures tally csv
chart graph visualization : bar pie line draw plot
pivot table summarize data : sum region group sales
presentation slide deck : talk powerpoint keynote make
file share access permission : let see open link give view read outside person nobody
file version revision history restore : older copy previous deleted accident back undo recover lost
file upload download storage drive : save put cloud backup get attach photo document folder store
task todo project : do done finish work chore laundry due buy assignee milk tick checklist backlog priority assign errand plan goal milestone deliverable progress
overdue deadline task : late behind missed due
dependency task : before after wait blocked finished start until
board card list column : kanban move trello doing done
time tracking hours timesheet : worked working log record timer spent begin
lead contact crm customer : client potential met fair prospect sales person
deal opportunity pipeline sales : sell negotiation stage close amount
sales forecast : sell next quarter reps revenue expect
support ticket customer case : complain complaint help problem client angry request service assist helpdesk agent issue escalate reply user
satisfaction rating feedback : happy unhappy service customers opinion nps
help article knowledge base : faq guide how
payment link checkout : pay money customers card buy online
refund payment : money back return buyer customer
subscription recurring plan : monthly every month charging charge renew stop membership
coupon discount : voucher percent off sale promo cheaper code
dispute chargeback : contested fraud payments
payout transfer money : pay freelancers send recipients
invoice bill accounting customer : charge work consulting owe due unpaid owed freelance client hours rate send
receivable invoice overdue : owe owes pay us unpaid debt who
expense receipt accounting : restaurant travel spent reimburse enter trip lunch taxi company card reimbursement cost
profit loss report accounting : money made earn quarter business did earnings income margin result year revenue losing
balance sheet report : asset liability equity
reconcile bank accounting : match statement books
vendor supplier purchase order procurement : buy office supplies goods delivery
inventory stock warehouse product : count items chairs left many quantity shelf supply reorder sold restock sku
order fulfill shipping store : ship shipped left sent parcel customer buyer
product price store : cost raise cheaper shirt change
cart abandoned checkout : left without buying
campaign newsletter email marketing audience : subscribers send opened clicks mailing promote blast announcement customers
unsubscribe audience subscriber : mailing list remove off person
advertising campaign ad budget : ads halt pause spend marketing google promote reach clicks impressions
keyword seo search ranking : google rank position terms target
backlink domain seo : links blog who
traffic analytics visitor website : people visit site many moment page online popular views hits sessions bounce read source
social post publish : announce launch share linkedin twitter facebook instagram tweet picture followers feed caption photo story
trending topic social : talking popular viral everyone
profile people search social : find person designer
video channel youtube : clip watch subscriber tutorial views
employee hr staff : colleague hire boss manager team new starts people worker personnel department onboarding joined joining record
time off leave vacation request : holiday days sick away free day absent pto break
organization chart employee : boss manager report reports
payslip salary payroll : earn earned pay wage income month compensation paycheck bonus
candidate applicant interview recruiting : hire talk invite job resume cv talent shortlist screening application offer role
job position hiring : open vacancy advertise recruit
contract signature envelope document : sign signed parties agreement customer yet esign paperwork nda
legal law court case : precedent judge ruling lawyer lawsuit sue statute rights regulation compliance verdict
contract review clause : agreement risky dangerous contain anything legal
trademark brand patent : name registered taken
survey form response question : ask users answers questionnaire product five poll feedback opinion answer
issue bug ticket : report file problem defect broken crash crashing login page error open glitch fault feature request wrong fails
issue comment : remark note reply leave
issue assign status workflow : hand move done close story maria
worklog issue hours : worked record time
sprint board agile burndown : left do team iteration
pull request review merge : pr approve code branch main feature changes diff feedback
pull request checks status ci : pass passed failing green tests
commit branch repository git : code changes line wrote modified added switch take over history change version author revert push latest
repository fork clone : copy repo account
code search repository : function used where find grep
release version tag publish : changelog notes ship
secret scanning leak repository : password committed credentials
build pipeline workflow ci job : failed fail try again rerun abort running run tests failing red green broken compile deploy
log search query : grep production timeouts errors output crash lines messages events stderr stdout last find
error exception crash trace : stack failed bug
metric monitor dashboard : cpu memory usage latency graph load health performance uptime
trace span latency : request time spend services slow
alert monitor mute : silence noise tomorrow
incident page on call responder : emergency wake engineer duty down outage night responsible escalation take care broken urgent pager escalate
pod container cluster kubernetes : k8s shell inside output crash restart running crashed node service deployment namespace
deployment rollout replica scale kubernetes : undo last deploy instances more api service yaml
container image docker compose : build disk space services local development bring up run start stop registry
virtual machine instance server : turn on off vm boot start reboot shut launch provision compute cloud spin
cost billing cloud spending : spend money month much
bucket object storage : file download link upload s3 blob store backup put get
function serverless lambda invoke : call trigger execute run
policy permission role user access : let read allow grant rights admin key iam
database snapshot backup : back up save dump restore copy
dns record zone : subdomain point ip
cache cdn purge : clear
firewall rule traffic block : visitors country ip attack
deploy production site : ship launch live publish website release
build log deployment : fail failed why
infrastructure resource plan apply destroy : delete change all
sql query table database : rows data remove count select users slow records insert update delete report join customers
table schema column database : structure fields describe layout
cache key value redis : save minutes ttl store
warehouse load import data csv : spreadsheet export
package dependency library npm : javascript python safe popular version module install upgrade outdated license
browser page navigate url : go visit open site website load
browser click element button : press submit site tap link
browser type text field : fill search box form enter input write login
browser screenshot page : capture looks like picture image see look
select option dropdown : choose menu item
design file layer token color typography : mockup figma fonts colours ui prototype style component screen
export image design layer : icons svg png download
test coverage quality code : tested much
feature flag toggle rollout : switch disable enable checkout percent people new everyone release turn off beta experiment
funnel conversion retention analytics : users drop step signup come back behavior product cohort event
model machine learning inference : pretrained network sentiment classify ai predict neural llm train
training run metric loss accuracy : develop experiment epoch
http request api endpoint : rest post call body curl get send header response
directory tree folder list : structure show inside files contents subfolder
checksum hash file : verify integrity downloaded iso
archive zip extract compress : unpack tarball inside pack reports
file move rename copy delete : disk name organize put elsewhere
file info size date : big changed when
json schema validate format : valid xml csv parse convert structure data
diff compare text : changed between two difference differences versions
random number : dice coin pick flip generate choose lottery
diagram chart design : flowchart draw process visualize flow architecture
automation workflow : automate app zap trigger when
network device router : wifi vpn switch configure
identity user login group : okta sso account reset employee
print 3d model : printer slice object
robot arm gripper : move grab pick
machine production sensor : factory downtime stood still
event ticket concert : festival show gig seats
donation charity : donate give nonprofit
job search employment : work career position salary hiring
pet animal : dog cat vet
plant garden : grow flower water
vehicle maintenance repair : mechanic oil tire vin
fuel station price : gas petrol diesel
horoscope astrology : zodiac sign
joke quote trivia fact : funny fun random inspire
crime safety police : report dangerous neighborhood
election politics vote : candidate congress senate bill
patent intellectual property : invention
museum art collection : painting artwork artist
satellite imagery gis : map earth layer
hiking trail outdoor : hike camp park walk
ski snow resort : slope mountain
dating match profile : meet people
fashion clothes outfit : wear style shirt dress
beauty skin cosmetic : makeup
parenting child baby : kids name
wedding party event planning : guest venue
crm lead contact customer : account relationship follow email phone company prospect
payment transaction charge : card pay paid bill customer money checkout price collect
tax filing return : irs deduction vat declare
product catalog store item : buy sell shop listing description variant size color
order store customer : bought purchase purchased checkout status arrived cancel return
seo keyword ranking : google organic visibility meta title
file read content text : open show see view cat look
file write create save text : put store new note
code search file : find where used grep function definition
terminal command shell execute : run bash script program cli install
banking card account payment : credit debit stolen lost block transfer wire iban savings loan fraud standing rent monthly atm pin
wire transfer money bank : send euros abroad supplier iban recipient foreign
aviation aircraft crew flight : pilot plane airport tower runway metar taf roster base captain
freight logistics consignment container : truck van courier pallet cargo port customs export import depot stops sea shipping
driver truck hours : rest driving break trucker
production machine manufacturing line : factory shift part assembly scrap faulty quality output efficiency plant pump spare
construction site building project : architect wall concrete contractor crew progress handover defect
electricity power outage tariff utility : light lights went out blackout cut meter provider cheaper kwh gas water
mobile subscriber phone plan sim : gigabytes data usage roaming number provider operator coverage signal reception village network
tax return deduction income : taxes file write off costs deductible year declare
pharmacy medicine stock : available downtown drug prescription
hospital patient ward : bed intensive care nurse x-ray mri scan knee blood pressure admit discharge
pet animal veterinary : dog cat vaccination shot vet chip puppy
university student class grade : semester lecture hall professor thesis degree exam library book renew application proof
child story kids : daughter son bedtime sleep read tale
concert event ticket attendee : seat saturday show festival badge conference speaker stage
wedding guest seating table : sit party bride
property viewing lease tenant : show house couple buyer tour rent landlord
crime safety neighborhood area : safe dangerous live burglary
vehicle service garage inspection : oil change car repair tire brake mechanic
fuel petrol station price : fill tank cheap diesel gas
vehicle recall vin model : manufacturer year make
plant garden flower pest : tomato bugs leaf water insect tree rose identify
outfit clothing wardrobe size : wear shoe dress interview occasion shirt
joke fun trivia horoscope : laugh funny stars entertain
voting election polling citizen : vote ballot parliament district representative mayor
waste collection bins city : garbage trash recycling picked emptied
road damage city report : pothole hole street front broken lamp
police theft report : stolen bike robbed assault crime thief lost
lost found item : umbrella keys wallet find handed
patent invention search : invented idea inventor
wildlife bird species animal : see seen nature forest sound
hiking trail outdoor region : walk mountains nice easy hard path
ski snow lift resort : open slopes winter avalanche
campsite tent pitch camper : camping august place
ship vessel harbor marina : near port boat berth yacht
television programme channel broadcast : tv on tonight watch record show
photo album print duplicate : pictures holiday paper same twice collect
directory user password account device : forgot login credentials reset locked laptop stolen erase phone computer
security update patch machine : missing computers outdated
printer queue job : print document paper stuck
vpn remote network profile : home securely office
backup status host : succeeded ran night
satellite image area region : space picture earth above
flood risk zone building : house water rain heavy river
sample lab freezer protocol : tube test experiment
charity nonprofit donation volunteer : give organisation helps refugees poor cause
gift present card : birthday nephew christmas give surprise
desk office coworking visitor : place work tuesday guest reception coming badge
resume skills job candidate : experience application cv
salary benchmark pay : earn engineer role compare
`;

export const topicLines: readonly string[] = topics.trim().split("\n");
