/**
 * Chinese words of the tool vocabulary and their English ones, so that a question in Chinese finds a tool described
 * in English and the other way round. The longest word that fits is taken; what no entry covers stays a bigram.
 */

const table = `
获取:get 取得:get 得到:get 读取:read 查看:view 显示:show 展示:show 列出:list 列表:list 浏览:browse
查询:query 查找:find 搜索:search 检索:search 寻找:find 找:find 搜:search 查:search
创建:create 新建:create 建立:create 添加:add 增加:add 新增:add 生成:generate 制作:make 写:write 撰写:write 起草:draft
删除:delete 移除:remove 清除:clear 清空:clear 清理:clean 取消:cancel 撤销:undo 撤回:withdraw 回滚:rollback 恢复:restore 还原:restore
更新:update 修改:edit 编辑:edit 更改:change 改:change 替换:replace 重命名:rename 移动:move 复制:copy 拷贝:copy
发送:send 发:send 发布:publish 转发:forward 分享:share 共享:share 回复:reply 回答:answer 评论:comment 通知:notify 提醒:remind
上传:upload 下载:download 导入:import 导出:export 转换:convert 换算:convert 转成:convert 转为:convert 转:convert 合并:merge 拆分:split 分割:split 提取:extract 压缩:compress 解压:unzip 加密:encrypt 解密:decrypt
比较:compare 对比:compare 检查:check 验证:verify 校验:validate 测试:test 分析:analyze 计算:calculate 统计:statistics 预测:predict 估算:estimate 监控:monitor 跟踪:track 追踪:track 扫描:scan 识别:recognize 检测:detect
总结:summarize 摘要:summary 概括:summarize 翻译:translate 解释:explain 描述:describe 推荐:recommend 建议:suggest
批准:approve 同意:accept 拒绝:reject 分配:assign 指派:assign 完成:complete 关闭:close 打开:open,turn_on 开启:turn_on 启动:start 开始:start 停止:stop 暂停:pause 重启:restart 运行:run 执行:execute 调用:invoke 部署:deploy 安装:install 配置:configure 设置:set 设定:set
安排:schedule 预订:book 预定:book 预约:appointment,book 订:book 购买:buy 买:buy 卖:sell 支付:pay 付款:payment 退款:refund 转账:transfer 充电:charge 播放:play 点击:click 截图:screenshot 截屏:screenshot 画:draw 绘制:draw 录音:recording 登录:login 注册:register 订阅:subscribe 签署:sign 签名:signature
消息:message 信息:information,message 聊天:chat 对话:conversation 频道:channel 群:group 邮件:email 邮箱:mailbox 电子邮件:email 附件:attachment 短信:sms 电话:phone,call 打电话:call 语音:voice,speech 视频:video 音频:audio 声音:sound 文字:text 文本:text 会议:meeting 视频会议:video_conference,meeting 日历:calendar 日程:calendar,schedule 事件:event 邀请:invite 待办:todo 任务:task 项目:project 看板:board 截止:due 笔记:note 备忘:note
文件:file 文件夹:folder 目录:directory 文档:document 页面:page 网页:web_page 网站:website 链接:link 网址:url 表格:spreadsheet,table 单元格:cell 图表:chart 幻灯片:slides 演示文稿:presentation 版本:version 历史:history 权限:permission 密码:password 密钥:key 合同:contract 法律:law
用户:user 联系人:contact 客户:customer 顾客:customer 员工:employee 候选人:candidate 面试:interview 请假:time_off 假期:holiday 节假日:holiday 工资:salary 团队:team 公司:company 成员:member
订单:order 商品:product 产品:product 库存:inventory 价格:price 多少钱:price 费用:cost 发票:invoice 账单:bill 收据:receipt 折扣:discount 优惠券:coupon 余额:balance 账户:account 银行:bank 交易:transaction 股票:stock 基金:fund 汇率:exchange_rate 货币:currency 美元:dollar 人民币:yuan 欧元:euro 比特币:bitcoin 加密货币:cryptocurrency 贷款:loan 税:tax 保险:insurance 理赔:claim 广告:ad 营销:marketing
问题单:issue,ticket 工单:ticket 问题:issue,question 缺陷:bug 错误:error 异常:exception 代码:code 仓库:repository 代码库:repository 分支:branch 提交:commit,submit 拉取请求:pull_request 合并请求:merge_request 流水线:pipeline 构建:build 日志:log 告警:alert 报警:alert 事故:incident 指标:metric 仪表盘:dashboard 服务器:server 虚拟机:virtual_machine 容器:container 镜像:image 集群:cluster 数据库:database 表结构:schema,table 数据表:table 数据:data 表:table 索引:index 缓存:cache 域名:domain 证书:certificate 接口:api 请求:request 函数:function 脚本:script 命令:command 终端:terminal 浏览器:browser 按钮:button 漏洞:vulnerability 安全:security 依赖:dependency 软件包:package 模型:model 训练:training 设计:design 颜色:color 字体:font 图标:icon 正则:regex 哈希:hash
天气:weather 天气预报:weather,forecast 下雨:rain 下雪:snow 气温:temperature 温度:temperature 空气质量:air_quality 台风:storm 地震:earthquake 地图:map 地址:address 地点:place 位置:location 附近:nearby 路线:route 导航:directions 距离:distance 打车:taxi,ride 出租车:taxi 火车:train 高铁:train 公交:bus 地铁:subway 航班:flight 飞机:flight 机票:flight,ticket 机场:airport 酒店:hotel 房间:room 房子:house 租房:rent 餐厅:restaurant 餐馆:restaurant 菜单:menu 外卖:food_delivery,delivery 菜谱:recipe 食谱:recipe 热量:calorie 卡路里:calorie 运动:workout 健身:fitness 睡眠:sleep 步数:steps 医生:doctor 医院:hospital 药:medicine 药物:drug 症状:symptom 病人:patient 患者:patient
论文:paper 文章:article 研究:research 百科:encyclopedia 新闻:news 头条:headline 语言:language 英文:english 英语:english 中文:chinese 日语:japanese 法语:french 语法:grammar 单词:word 词典:dictionary 图片:image 图像:image 照片:photo 背景:background 水印:watermark 字幕:subtitle 音乐:music 歌曲:song 歌词:lyrics 电影:movie 书:book 游戏:game 比赛:match 比分:score 球队:team 灯:light 空调:thermostat 门:door 摄像头:camera 扫地机器人:vacuum 电量:battery 汽车:car 车:car 快递:parcel 包裹:package 物流:shipping 运费:shipping_rate 学生:student 作业:homework 课程:course 测验:quiz 签证:visa 人口:population 日出:sunrise 月亮:moon 星:star 时间:time 时区:timezone 闹钟:alarm 日期:date 现在:current 当前:current 今天:today 明天:tomorrow 最新:latest 记住:remember 记忆:memory 知识:knowledge 方程:equation 数学:math 单位:unit 二维码:qr
`;

const dictionary = new Map<string, readonly string[]>();
let longest = 1;

function load(): void {
  for (const entry of table.split(/\s+/)) {
    const [chinese, english] = entry.split(":");
    if (chinese === undefined || english === undefined) continue;
    dictionary.set(chinese, english.split(","));
    longest = Math.max(longest, chinese.length);
  }
}

export interface Segmented {
  /** English words and phrases, one list for each Chinese word found. */
  readonly found: readonly (readonly string[])[];
  /** What no entry covers. */
  readonly rest: readonly string[];
}

export function segmentChinese(run: string): Segmented {
  if (dictionary.size === 0) load();
  const found: (readonly string[])[] = [];
  const rest: string[] = [];
  let open = "";
  for (let at = 0; at < run.length; ) {
    let length = Math.min(longest, run.length - at);
    while (length > 0 && !dictionary.has(run.slice(at, at + length))) length--;
    const english = dictionary.get(run.slice(at, at + length));
    if (english === undefined) {
      open += run[at] ?? "";
      at += 1;
      continue;
    }
    if (open !== "") rest.push(open);
    open = "";
    found.push(english);
    at += length;
  }
  if (open !== "") rest.push(open);
  return { found, rest };
}
